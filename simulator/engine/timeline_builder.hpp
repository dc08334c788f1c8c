#pragma once

#include <cstddef>
#include <functional>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// What an engine found for one op on one rank, in seconds from the start of the backward pass.
struct OpTimes {
  double start = 0.0;
  double end = 0.0;
  double work = 0.0;     ///< of compute: undisturbed
  double latency = 0.0;  ///< of communication: what of it is latency
  double stalled = 0.0;  ///< of communication: while a link that it needed was down
};

/// The timeline of the requested ranks and of the one that ends last. `times(rank, op)` is asked
/// for every op; `equal_ranks` says that all ranks have the times of rank 0. Every op must have
/// been played (GW_CHECK).
Timeline build_timeline(const Plan& plan, const TimelineRequest& request, bool equal_ranks,
                        const std::function<OpTimes(int, std::size_t)>& times);

}  // namespace gradwire
