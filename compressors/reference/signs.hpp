#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gradwire {

/// The signs of n elements, 32 to a word: element i is bit i mod 32, from the lowest, of word
/// i / 32. A bit is 1 where the element is below zero; zeros of both signs and NaN count as
/// positive. The unused bits of the last word are 0.
std::vector<std::uint32_t> packed_signs(std::span<const float> values);

/// Whether bit `element` of `words` says "below zero".
inline bool is_negative(std::span<const std::uint32_t> words, std::size_t element) {
  return ((words[element / 32] >> (element % 32)) & 1U) != 0;
}

}  // namespace gradwire
