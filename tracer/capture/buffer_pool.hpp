#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/capture/activity_source.hpp"
#include "tracer/capture/locks.hpp"

namespace gradwire {

/// Buffers that go round between the profiler's callbacks, which only take and hand over a pointer,
/// and the writer thread, which decodes. Bounded: kept buffers are used again, and those beyond the
/// bound are given back to the system when they come back.
class BufferPool {
 public:
  constexpr BufferPool() = default;
  /// Notifies `writer` of each full buffer.
  explicit constexpr BufferPool(Wakeup& writer) : writer_(&writer) {}
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool() = default;  // leaked: the profiler may hold buffers for ever

  /// 8-byte aligned. With kMaxBuffers in use, or when the system has no memory, null if
  /// `may_refuse`; else it waits for the writer to give one back, but not for ever: after
  /// kPatienceMs it takes one beyond the bound, and null is its answer only when the system has
  /// none even then.
  std::uint8_t* take(bool may_refuse);

  /// Hands a filled buffer (possibly with no valid bytes) to the writer thread.
  void hand_over(const FullBuffer& buffer);

  /// The oldest filled buffer; false when there is none.
  bool next_full(FullBuffer& buffer);

  /// The writer is done with it.
  void give_back(std::uint8_t* bytes);

  /// Taken and not handed over yet.
  std::uint64_t outstanding() const;

  /// Full ones that wait for the writer.
  std::uint64_t waiting() const;

  /// In a child of fork, where the thread that was in it does not exist.
  void forget_lock();

  static constexpr std::size_t kBufferBytes = 1U << 20U;
  static constexpr std::uint64_t kKeptBuffers = 32;  ///< free ones, not given back to the system
  static constexpr std::uint64_t kMaxBuffers = 256;  ///< in use: 256 MiB
  static constexpr std::int64_t kPatienceMs = 1000;

 private:
  struct Node;
  static Node* node_of(std::uint8_t* bytes);
  static std::uint8_t* bytes_of(Node* node);
  Node* take_free(bool beyond_bound);

  Wakeup* writer_ = nullptr;
  Wakeup returned_;
  mutable ShortLock lock_;
  Node* free_ = nullptr;
  std::uint64_t free_count_ = 0;
  Node* oldest_ = nullptr;
  Node* newest_ = nullptr;
  std::uint64_t waiting_ = 0;
  std::uint64_t in_use_ = 0;  ///< taken and not given back
  std::uint64_t outstanding_ = 0;
};

}  // namespace gradwire
