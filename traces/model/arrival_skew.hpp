#pragma once

#include <cstddef>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// How far apart the ranks begin the same collective, in a trace of several ranks (trace-merge).
struct ArrivalSkew {
  CollectiveKind collective = CollectiveKind::kOpaque;
  std::size_t collectives = 0;  ///< that could be compared
  Nanoseconds median{0};  ///< from the first rank's kernel start to the last one's; lower of two
  Nanoseconds largest{0};
};

/// By kind, in the order of CollectiveKind. The n-th communication of an iteration is the same
/// collective on every device; iterations in which devices differ in number or kinds are left out.
/// Empty for a trace of one device. Meaningful only where the ranks' clocks are one.
std::vector<ArrivalSkew> find_arrival_skews(const Trace& trace);

}  // namespace gradwire
