#pragma once

#include <cmath>

#include "compressors/cuda/spmd.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {

/// random_normal(bits) on the device, within a few units in the last place of double.
GW_DEVICE double drawn_normal(const std::array<std::uint64_t, 2>& bits) {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  return sqrt(-2.0 * log(1.0 - random_unit(bits[0]))) * cos(kTwoPi * random_unit(bits[1]));
}

}  // namespace gradwire
