#pragma once

#include <array>
#include <cstdint>

namespace gradwire {

// Random numbers as a function of where they are used, so that a reference and the threads of a
// GPU's kernel, in whatever order they run, draw the same ones. All constexpr: device code calls
// them too.

/// Philox4x32-10: 128 random bits for a counter under a key. Salmon, Moraes, Dror, Shaw, "Parallel
/// Random Numbers: As Easy as 1, 2, 3", SC 2011, section 3.3 and table 2.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(odd),
               static_cast<std::uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(even)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Independent random numbers for each (seed, stream): stream 0 for what all ranks share, 1 + rank
/// for a rank's own.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
};

constexpr RandomKey shared_key(std::uint64_t seed) { return {seed, 0}; }
constexpr RandomKey own_key(std::uint64_t seed, int rank) {
  return {seed, 1 + static_cast<std::uint32_t>(rank)};
}

/// The `index`-th 128 random bits of exchange `exchange`.
constexpr std::array<std::uint32_t, 4> random_words(RandomKey key, std::uint32_t exchange,
                                                    std::uint64_t index) {
  return philox4x32(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), exchange,
       key.stream},
      {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
}

/// The same as two numbers.
constexpr std::array<std::uint64_t, 2> random_bits(RandomKey key, std::uint32_t exchange,
                                                   std::uint64_t index) {
  const std::array<std::uint32_t, 4> words = random_words(key, exchange, index);
  return {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
}

/// The `index`-th 32 random bits of exchange `exchange`; four neighbours share a Philox.
constexpr std::uint32_t random_word(RandomKey key, std::uint32_t exchange, std::uint64_t index) {
  return random_words(key, exchange, index / 4)[index % 4];
}

/// 64 random bits as a number in [0, bound), bound > 0; every number's share is within 2^-64 of
/// 1 / bound (Lemire, arXiv 1805.10941, section 3, without the rejection).
constexpr std::uint64_t random_below(std::uint64_t bits, std::uint64_t bound) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  const std::uint64_t low_high = (bits & kLow) * (bound >> 32);
  const std::uint64_t high_low = (bits >> 32) * (bound & kLow);
  const std::uint64_t carry =
      ((bits & kLow) * (bound & kLow) >> 32) + (low_high & kLow) + (high_low & kLow);
  return (bits >> 32) * (bound >> 32) + (low_high >> 32) + (high_low >> 32) + (carry >> 32);
}

/// 64 random bits as a number in [0, 1), a multiple of 2^-53.
constexpr double random_unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// 2 x 64 random bits as a standard normal number (Box and Muller 1958). For the host alone.
double random_normal(const std::array<std::uint64_t, 2>& bits);

/// `chosen` different ones of 0 .. all-1, each number with the probability chosen / all: one at
/// random of each of `chosen` runs of neighbours that are as equally long as can be, all of them
/// then moved by one random distance around the circle. So not every set is equally likely (no two
/// of one run go together), and number `i` of the choice is found without the others.
class RandomChoice {
 public:
  /// Requires 0 < chosen <= all < 2^32. The choice of `exchange`.
  constexpr RandomChoice(RandomKey key, std::uint32_t exchange, std::uint64_t all,
                         std::uint64_t chosen)
      : key_(key), exchange_(exchange), all_(all), chosen_(chosen) {
    moved_ = random_below(random_bits(key, exchange, chosen)[0], all);
    // Of the runs that end up around the end of the circle, the first whose number is moved past
    // it.
    const std::uint64_t wrap = all - moved_;
    first_ = wrap * chosen / all;
    while (first_ < chosen && unmoved(first_) < wrap) ++first_;
    while (first_ > 0 && unmoved(first_ - 1) >= wrap) --first_;
  }

  /// The `i`-th smallest number of the choice, 0 <= i < chosen.
  constexpr std::uint64_t operator[](std::uint64_t i) const {
    const std::uint64_t run = first_ + i < chosen_ ? first_ + i : first_ + i - chosen_;
    const std::uint64_t number = unmoved(run) + moved_;
    return number < all_ ? number : number - all_;
  }

 private:
  constexpr std::uint64_t begin_of(std::uint64_t run) const { return run * all_ / chosen_; }

  constexpr std::uint64_t unmoved(std::uint64_t run) const {
    const std::uint64_t begin = begin_of(run);
    return begin + random_below(random_bits(key_, exchange_, run)[0], begin_of(run + 1) - begin);
  }

  RandomKey key_;
  std::uint32_t exchange_;
  std::uint64_t all_;
  std::uint64_t chosen_;
  std::uint64_t moved_ = 0;
  std::uint64_t first_ = 0;  // run of the smallest number
};

}  // namespace gradwire
