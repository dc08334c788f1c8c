#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace gradwire {

/// Random numbers that are the same on every platform for the same seed (the standard library's
/// distributions are not).
class Random {
 public:
  /// Different `stream`s of one `seed` are independent: 0 for what all ranks share, 1 + rank for a
  /// rank's own.
  Random(std::uint64_t seed, std::uint64_t stream);

  /// Uniform in [0, bound). Requires bound > 0.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();

  /// Standard normal.
  double normal();

  /// `chosen` different ones of 0 .. all-1, each set equally likely, ascending. Requires
  /// 0 <= chosen <= all.
  std::vector<std::int64_t> subset(std::int64_t all, std::int64_t chosen);

 private:
  std::mt19937_64 bits_;
};

/// The stream of what rank `rank` draws for itself.
constexpr std::uint64_t own_stream(int rank) { return 1 + static_cast<std::uint64_t>(rank); }
constexpr std::uint64_t kSharedStream = 0;

}  // namespace gradwire
