#pragma once

#include <cstdint>

#include "compressors/cuda/device_runtime.hpp"

namespace gradwire {

/// How many exchanges a compressor has seen, in device memory, so that a replayed graph counts on.
class ExchangeCounter {
 public:
  ExchangeCounter() : count_(1) {}

  const std::uint32_t* get() const { return count_.get(); }

  /// One more, behind the stream's work so far.
  void advance(Stream stream);

 private:
  DeviceArray<std::uint32_t> count_;
};

}  // namespace gradwire
