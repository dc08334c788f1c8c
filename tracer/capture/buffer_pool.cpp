#include "tracer/capture/buffer_pool.hpp"

#include <new>

#include "tracer/capture/mapped_memory.hpp"

namespace gradwire {

/// In front of each buffer's bytes.
struct BufferPool::Node {
  Node* next = nullptr;
  FullBuffer full;
};

namespace {

constexpr std::size_t kNodeBytes = 64;  // the bytes behind it stay aligned to a cache line
constexpr std::size_t kMappedBytes = kNodeBytes + BufferPool::kBufferBytes;

}  // namespace

BufferPool::Node* BufferPool::node_of(std::uint8_t* bytes) {
  static_assert(sizeof(Node) <= kNodeBytes);
  return reinterpret_cast<Node*>(bytes - kNodeBytes);
}

std::uint8_t* BufferPool::bytes_of(Node* node) {
  return reinterpret_cast<std::uint8_t*>(node) + kNodeBytes;
}

BufferPool::Node* BufferPool::take_free(bool beyond_bound) {
  {
    const LockGuard guard(lock_);
    if (in_use_ >= kMaxBuffers && !beyond_bound) return nullptr;
    ++in_use_;
    ++outstanding_;
    if (free_ != nullptr) {
      Node* const node = free_;
      free_ = node->next;
      --free_count_;
      return node;
    }
  }
  void* const mapped = map_memory(kMappedBytes);
  if (mapped != nullptr) return new (mapped) Node;
  const LockGuard guard(lock_);
  --in_use_;
  --outstanding_;
  return nullptr;
}

std::uint8_t* BufferPool::take(bool may_refuse) {
  Node* node = take_free(false);
  constexpr std::int64_t kStepMs = 10;
  for (std::int64_t waited = 0; node == nullptr && !may_refuse && waited < kPatienceMs;
       waited += kStepMs) {
    returned_.wait(kStepMs);
    node = take_free(false);
  }
  if (node == nullptr && !may_refuse) node = take_free(true);
  return node == nullptr ? nullptr : bytes_of(node);
}

void BufferPool::hand_over(const FullBuffer& buffer) {
  if (buffer.bytes == nullptr) return;
  Node* const node = node_of(buffer.bytes);
  node->next = nullptr;
  node->full = buffer;
  {
    const LockGuard guard(lock_);
    (newest_ == nullptr ? oldest_ : newest_->next) = node;
    newest_ = node;
    ++waiting_;
    --outstanding_;
  }
  if (writer_ != nullptr) writer_->notify();
}

bool BufferPool::next_full(FullBuffer& buffer) {
  const LockGuard guard(lock_);
  if (oldest_ == nullptr) return false;
  buffer = oldest_->full;
  oldest_ = oldest_->next;
  if (oldest_ == nullptr) newest_ = nullptr;
  --waiting_;
  return true;
}

void BufferPool::give_back(std::uint8_t* bytes) {
  if (bytes == nullptr) return;
  Node* const node = node_of(bytes);
  bool kept = false;
  {
    const LockGuard guard(lock_);
    --in_use_;
    kept = free_count_ < kKeptBuffers;
    if (kept) {
      node->next = free_;
      free_ = node;
      ++free_count_;
    }
  }
  if (!kept) unmap_memory(node, kMappedBytes);
  returned_.notify();
}

std::uint64_t BufferPool::outstanding() const {
  const LockGuard guard(lock_);
  return outstanding_;
}

void BufferPool::forget_lock() { lock_.make_new(); }

std::uint64_t BufferPool::waiting() const {
  const LockGuard guard(lock_);
  return waiting_;
}

}  // namespace gradwire
