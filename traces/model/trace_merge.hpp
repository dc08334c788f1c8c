#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// The fact in Trace::software that a trace of several ranks carries: "0, 1, 2".
inline constexpr std::string_view kMergedRanksFact = "merged ranks";

/// The trace of one process, and the name to call it by.
struct RankTrace {
  std::string name;
  Trace trace;
};

struct MergedTrace {
  Trace trace;
  bool one_clock = false;          ///< the ranks' times compare
  std::vector<std::string> notes;  ///< what was done and what is in doubt, one sentence each
};

/// Joins the traces of several processes of one job. Each rank's devices get numbers of their own,
/// in the order of ranks; iterations are matched by number, and one that a rank lacks is not
/// complete. Gradients, backward marks, iterations' times and facts are the lowest rank's, so that
/// the result can be replayed as that rank's trace; kernels and communications are everybody's.
/// Times count from the earliest base time. Throws InputError when there are fewer than two traces,
/// a rank is absent or there twice, or they are not of one job: other world sizes, no common
/// iteration, or (on one host) no common time.
MergedTrace merge_traces(std::vector<RankTrace> ranks);

}  // namespace gradwire
