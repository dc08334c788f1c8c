#include "tracer/capture/event_queue.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "tracer/capture/mapped_memory.hpp"

namespace gradwire {

struct EventQueue::Block {
  Block* next = nullptr;
  std::size_t used = 0;  ///< of bytes
  unsigned char bytes[kBlockBytes - 2 * sizeof(void*)];
};

namespace {

/// In front of an event's text and payload; the next one is 8-byte aligned.
struct StoredEvent {
  std::uint64_t time_ns;
  std::uint64_t thread;
  std::uint64_t id;
  std::uint64_t value;
  std::uint64_t domain;
  std::uint64_t payload_kind;
  std::uint16_t text_size;
  std::uint16_t payload_size;
  HostEventKind kind;
};

std::uint16_t kept_size(const EventBytes& bytes) {
  return bytes.bytes == nullptr ? std::uint16_t{0}
                                : static_cast<std::uint16_t>(std::min(bytes.size, kMaxEventBytes));
}

std::size_t stored_size(std::size_t text, std::size_t payload) {
  return (sizeof(StoredEvent) + text + payload + 7U) & ~std::size_t{7};
}

}  // namespace

bool EventQueue::open() {
  const LockGuard guard(lock_);
  if (memory_ == nullptr) {
    memory_ = static_cast<unsigned char*>(map_memory(kBlocks * kBlockBytes));
    if (memory_ == nullptr) return false;
  }
  put_all_back();
  return true;
}

void EventQueue::put_all_back() {
  free_ = oldest_ = newest_ = nullptr;
  filled_ = 0;
  dropped_ = 0;
  for (std::size_t i = kBlocks; memory_ != nullptr && i-- > 0;) {
    // Only next and used: the pages of the bytes stay untouched.
    Block* const block = reinterpret_cast<Block*>(memory_ + i * kBlockBytes);
    block->next = free_;
    block->used = 0;
    free_ = block;
  }
}

void EventQueue::forget() {
  lock_.make_new();
  put_all_back();
}

EventQueue::Block* EventQueue::room_for(std::size_t size) {
  static_assert(sizeof(Block) == kBlockBytes);
  if (newest_ != nullptr && newest_->used + size <= sizeof newest_->bytes) return newest_;
  Block* const block = free_;
  if (block == nullptr) return nullptr;
  free_ = block->next;
  block->next = nullptr;
  block->used = 0;
  (newest_ == nullptr ? oldest_ : newest_->next) = block;
  newest_ = block;
  if (++filled_ == kBlocks / 4) writer_.notify();
  return block;
}

void EventQueue::push(const HostEvent& event, std::uint64_t time_ns, std::uint64_t thread) {
  const std::uint16_t text = kept_size(event.text);
  const std::uint16_t payload = kept_size(event.payload);
  const StoredEvent stored{time_ns,     thread,       event.id,
                           event.value, event.domain, event.payload_kind,
                           text,        payload,      event.kind};
  const std::size_t size = stored_size(text, payload);
  const LockGuard guard(lock_);
  Block* const block = room_for(size);
  if (block == nullptr) {
    ++dropped_;
    return;
  }
  unsigned char* const to = block->bytes + block->used;
  std::memcpy(to, &stored, sizeof stored);
  if (text != 0) std::memcpy(to + sizeof stored, event.text.bytes, text);
  if (payload != 0) std::memcpy(to + sizeof stored + text, event.payload.bytes, payload);
  block->used += size;
}

EventQueue::Block* EventQueue::take_filled() {
  const LockGuard guard(lock_);
  Block* const first = oldest_;
  oldest_ = newest_ = nullptr;
  filled_ = 0;
  return first;
}

bool EventQueue::read(const Block& block, std::size_t& at, TimedHostEvent& event) {
  if (at >= block.used) return false;
  StoredEvent stored;
  std::memcpy(&stored, block.bytes + at, sizeof stored);
  const unsigned char* const text = block.bytes + at + sizeof stored;
  event.time_ns = stored.time_ns;
  event.thread = stored.thread;
  event.event = {stored.kind,
                 stored.id,
                 stored.value,
                 stored.domain,
                 {text, stored.text_size},
                 stored.payload_kind,
                 {text + stored.text_size, stored.payload_size}};
  at += stored_size(stored.text_size, stored.payload_size);
  return true;
}

EventQueue::Block* EventQueue::give_back(Block* block) {
  const LockGuard guard(lock_);
  Block* const following = block->next;
  block->next = free_;
  free_ = block;
  return following;
}

std::uint64_t EventQueue::dropped() const {
  const LockGuard guard(lock_);
  return dropped_;
}

}  // namespace gradwire
