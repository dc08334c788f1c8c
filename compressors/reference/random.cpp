#include "compressors/reference/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gradwire {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): spreads close inputs apart.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) : bits_(mixed(mixed(seed) + stream)) {}

std::uint64_t Random::below(std::uint64_t bound) {
  // 2^64 mod bound values are refused, so that every remainder is equally likely.
  const std::uint64_t refused = (0 - bound) % bound;
  std::uint64_t drawn = bits_();
  while (drawn < refused) drawn = bits_();
  return drawn % bound;
}

double Random::uniform() { return std::ldexp(static_cast<double>(bits_() >> 11), -53); }

double Random::normal() {
  // Box and Muller 1958; 1 - uniform() is never 0.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<std::int64_t> Random::subset(std::int64_t all, std::int64_t chosen) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(all));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::int64_t i = 0; i < chosen; ++i) {
    const auto other = i + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(all - i)));
    std::swap(numbers[static_cast<std::size_t>(i)], numbers[static_cast<std::size_t>(other)]);
  }
  numbers.resize(static_cast<std::size_t>(chosen));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace gradwire
