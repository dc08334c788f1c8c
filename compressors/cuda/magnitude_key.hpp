#pragma once

#include <cstdint>

#include "compressors/cuda/spmd.hpp"

namespace gradwire {

/// The bits of selection_magnitude(value): ordered as magnitudes are, 31 bits.
GW_DEVICE std::uint32_t magnitude_key(float value) {
  const std::uint32_t bits = bits_of_float(value) & 0x7fffffff;
  return bits < 0x7f800000 ? bits : 0x7f7fffff;
}

}  // namespace gradwire
