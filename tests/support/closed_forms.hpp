#pragma once

#include <algorithm>
#include <cstdint>

#include "traces/model/trace.hpp"

namespace gradwire::test {

/// Seconds that a collective of float32 takes over links of one speed, every rank starting at once:
/// the oracle, derived without the code under test. `alpha` in seconds a round, `bandwidth` in
/// bits a second.
inline double oracle_seconds(CollectiveKind kind, int n, std::int64_t elements, double alpha,
                             double bandwidth) {
  if (n == 1) return 0.0;
  const double seconds_an_element = 4 * 8 / bandwidth;
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto largest = static_cast<double>(up(elements, n));
  switch (kind) {
    case CollectiveKind::kAllReduce:  // 2(n-1)(alpha + ceil(e/n) s/B)
      return 2 * (n - 1) * (alpha + largest * seconds_an_element);
    case CollectiveKind::kReduceScatter:  // (n-1)(alpha + ceil(e/n) s/B)
      return (n - 1) * (alpha + largest * seconds_an_element);
    case CollectiveKind::kAllGather:  // (n-1)(alpha + e s/B), e elements a rank
      return (n - 1) * (alpha + static_cast<double>(elements) * seconds_an_element);
    default: {
      // Chain of c chunks: the first, a largest one, crosses n-1 edges, then the others arrive one
      // by one: (n-2+c) alpha + ((n-2) ceil(e/c) + e) s/B.
      const std::int64_t chunks =
          std::clamp<std::int64_t>(up(elements * 4, 512 * 1024), 1, elements);
      const auto path = static_cast<double>((n - 2) * up(elements, chunks) + elements);
      return static_cast<double>(n - 2 + chunks) * alpha + path * seconds_an_element;
    }
  }
}

}  // namespace gradwire::test
