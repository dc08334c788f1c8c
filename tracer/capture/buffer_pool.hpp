#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/capture/activity_source.hpp"

namespace gradwire {

/// Buffers that go round between the profiler's callbacks, which only take and hand over a pointer,
/// and the writer thread, which decodes. Bounded: kept buffers are used again, and those beyond the
/// bound are given back to the system when they come back.
class BufferPool {
 public:
  /// 8-byte aligned. Null only when the system has no memory and `may_refuse`; else it waits for
  /// the writer to give one back.
  std::uint8_t* take(bool may_refuse);

  /// Hands a filled buffer (possibly with no valid bytes) to the writer thread.
  void hand_over(const FullBuffer& buffer);

  /// The oldest filled buffer; false when there is none.
  bool next_full(FullBuffer& buffer);

  /// The writer is done with it.
  void give_back(std::uint8_t* bytes);

  /// Taken and not handed over yet.
  std::uint64_t outstanding() const;

  static constexpr std::size_t kBufferBytes = 1U << 20U;
};

}  // namespace gradwire
