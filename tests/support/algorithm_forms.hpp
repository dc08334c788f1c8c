#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/collective_kind.hpp"
#include "tests/support/closed_forms.hpp"

namespace gradwire::test {

/// n = p + extra with p = 2^exponent the largest power of two in n: what is left over stands before
/// and after an exchange among p.
struct PowerOfTwoSplit {
  explicit PowerOfTwoSplit(int n)
      : p(static_cast<int>(std::bit_floor(static_cast<unsigned>(n)))),
        exponent(std::countr_zero(static_cast<unsigned>(p))),
        extra(n - p) {}
  int p;
  int exponent;
  int extra;

  /// The place of `rank` in the exchange; absent for one that is left over.
  std::optional<int> member(int rank) const {
    if (rank >= 2 * extra) return rank - extra;
    if (rank % 2 == 0) return std::nullopt;
    return rank / 2;
  }
};

/// Where chunk i of e elements in n parts begins, the larger ones first.
inline std::int64_t chunk_begin(std::int64_t e, std::int64_t n, std::int64_t i) {
  return e / n * i + std::min(i, e % n);
}

/// A time as so many latencies and so many elements that follow each other on a link.
struct RoundsAndElements {
  std::int64_t rounds = 0;
  std::int64_t elements = 0;

  double seconds(double alpha, double bandwidth, std::int64_t element_size = 4) const {
    return static_cast<double>(rounds) * alpha +
           static_cast<double>(elements) * static_cast<double>(element_size) * 8 / bandwidth;
  }
};

/// What a collective of `e` float32 takes on `n` ranks, one a node, over links of one speed:
/// derived from the algorithms and not from the code under test. `depth` is that of the double
/// tree, `servers` those of the parameter server.
inline RoundsAndElements algorithm_form(CollectiveKind kind, std::string_view algorithm, int n,
                                        std::int64_t e, int depth, int servers) {
  if (n == 1) return {};
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto chunks_of = [&](std::int64_t elements) {
    return std::clamp<std::int64_t>(up(elements * 4, 512 * 1024), 1,
                                    std::max<std::int64_t>(1, elements));
  };
  const PowerOfTwoSplit split(n);
  const std::int64_t levels = std::bit_width(static_cast<unsigned>(n - 1));
  const int around = split.extra > 0 ? 2 : 0;
  const std::int64_t ring = up(e, n);
  if (algorithm == "ring" || algorithm == "hierarchical" || algorithm == "leader_ring") {
    if (kind == CollectiveKind::kAllReduce) return {2 * (n - 1), 2 * (n - 1) * ring};
    return {n - 1, (n - 1) * (kind == CollectiveKind::kAllGather ? e : ring)};
  }
  if (algorithm == "pairwise") {
    return {n - 1, (n - 1) * (kind == CollectiveKind::kAllGather ? e : ring)};
  }
  if (algorithm == "direct") return {1, (n - 1) * ring};
  if (algorithm == "chain") {
    const std::int64_t chunks = chunks_of(e);
    return {n - 2 + chunks, (n - 2) * up(e, chunks) + e};
  }
  if (algorithm == "binomial") return {levels, levels * e};
  if (algorithm == "scatter_all_gather") {
    return {levels + n - 1, e - ring + (n - 1) * ring};
  }
  if (algorithm == "bruck") return {levels, (n - 1) * e};
  if (algorithm == "in_network") return {1, e};
  if (algorithm == "gossip") return {std::min(n - 1, 2), std::min(n - 1, 2) * e};
  if (algorithm == "parameter_server") return {2, 2 * (n - 1) * up(e, servers)};
  if (algorithm == "double_tree") {
    const std::int64_t half = up(e, 2);
    // Chunks of 512 KiB while there are 8 a level, else 128 KiB; 64 while there are not 4; 32 while
    // there is not one.
    std::int64_t chunk = 512 * 1024;
    for (const auto& [least, wanted] : {std::pair{128, 8}, {64, 4}, {32, 1}}) {
      while (half * 4 / chunk < levels * wanted && chunk > least * 1024) chunk /= 2;
    }
    const std::int64_t chunks = std::clamp<std::int64_t>(up(half * 4, chunk), 1, half);
    const std::int64_t rounds = 2 * ((n == 2 ? 1 : 2) * (chunks - 1) + depth);
    return {rounds, rounds * up(half, chunks)};
  }
  RoundsAndElements form{split.exponent + around, 0};
  for (int k = 0; k < split.exponent; ++k) {
    const std::int64_t members = std::int64_t{1} << k;
    const std::int64_t ranks = members + std::min<std::int64_t>(members, split.extra);
    if (algorithm == "halving_doubling") {
      form.rounds += 1;
      form.elements += 2 * chunk_begin(e, split.p, members);
    } else if (algorithm == "recursive_halving") {
      form.elements += chunk_begin(e, n, ranks);
    } else if (kind == CollectiveKind::kAllGather) {  // recursive doubling
      form.elements += ranks * e;
    } else {
      form.elements += e;
    }
  }
  if (around == 0) return form;
  if (algorithm == "recursive_halving") {
    form.elements += e + ring;
  } else if (kind == CollectiveKind::kAllGather) {
    form.elements += n * e;
  } else {
    form.elements += 2 * e;
  }
  return form;
}

}  // namespace gradwire::test
