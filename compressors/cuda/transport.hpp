#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "compressors/cuda/device_runtime.hpp"

namespace gradwire {

/// The collectives that carry messages between the ranks, as one rank sees them. Each call gives
/// work to the stream and may wait for the other ranks' calls, never for the device. All ranks make
/// the same calls in the same order, with the same types and sizes.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  /// Between the two, calls (of all ranks of this process) are gathered, and given on together.
  virtual void begin_group() = 0;
  virtual void end_group() = 0;

  /// `data` (elements) becomes the sum over the ranks.
  virtual void all_reduce(void* data, DType type, std::int64_t elements, Stream stream) = 0;

  /// `gathered` (ranks x elements) gets what each rank has at its own place of it.
  virtual void all_gather(void* gathered, DType type, std::int64_t elements, Stream stream) = 0;
};

}  // namespace gradwire
