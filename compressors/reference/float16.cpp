#include "compressors/reference/float16.hpp"

#include <bit>
#include <cmath>

namespace gradwire {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7f800000;
constexpr std::uint16_t kHalfInfinity = 0x7c00;
constexpr std::uint16_t kHalfQuietNan = 0x7e00;
constexpr std::uint16_t kBfloatQuietNan = 0x7fc0;

/// `bits` without the lowest `dropped` ones (1 to 31), rounded to nearest, ties to even. A carry
/// goes into what stands above.
std::uint32_t drop_rounded(std::uint32_t bits, int dropped) {
  const std::uint32_t half = 1U << (dropped - 1);
  const std::uint32_t odd = (bits >> dropped) & 1U;
  return (bits + half - 1 + odd) >> dropped;
}

}  // namespace

std::uint16_t float16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const auto with_sign = [sign](std::uint32_t half) {
    return static_cast<std::uint16_t>(sign | half);
  };
  if (magnitude > kFloatInfinity) return with_sign(kHalfQuietNan);
  if (magnitude >= 0x47800000U) return with_sign(kHalfInfinity);  // 2^16
  if (magnitude >= 0x38800000U) {                                 // 2^-14: normal
    // The exponent's bias falls from 127 to 15; a carry out of 65504 makes infinity.
    return with_sign(drop_rounded(magnitude - ((127U - 15U) << 23), 13));
  }
  if (magnitude < 0x33000000U) return sign;  // below 2^-25, half of the smallest subnormal
  // Subnormal: units of 2^-24. A float of exponent e is its 24-bit significand times 2^(e - 150).
  const int exponent = static_cast<int>(magnitude >> 23);
  return with_sign(drop_rounded((magnitude & 0x7fffffU) | 0x800000U, 126 - exponent));
}

float float_of_float16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) {
    const auto high = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    return std::bit_cast<float>(high | kFloatInfinity | static_cast<std::uint32_t>(fraction) << 13);
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

std::uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > kFloatInfinity) {
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | kBfloatQuietNan);
  }
  return static_cast<std::uint16_t>(drop_rounded(bits, 16));
}

float float_of_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace gradwire
