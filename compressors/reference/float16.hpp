#pragma once

#include <cstdint>

namespace gradwire {

/// float32 to IEEE 754 binary16 bits, rounded to nearest, ties to even. From 65520 on infinity;
/// below 2^-14 subnormal, up to 2^-25 zero of the same sign; a NaN stays one.
std::uint16_t float16_bits(float value);

/// The value of binary16 bits, exact.
float float_of_float16(std::uint16_t bits);

/// float32 to bfloat16 bits (float32's upper half), rounded to nearest, ties to even. What rounds
/// beyond the largest finite value is infinity; a NaN stays one.
std::uint16_t bfloat16_bits(float value);

/// The value of bfloat16 bits, exact.
float float_of_bfloat16(std::uint16_t bits);

}  // namespace gradwire
