#include "compressors/reference/random.hpp"

#include <cmath>
#include <numbers>

namespace gradwire {

double random_normal(const std::array<std::uint64_t, 2>& bits) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random_unit(bits[0])));  // never of 0
  return radius * std::cos(2.0 * std::numbers::pi * random_unit(bits[1]));
}

}  // namespace gradwire
