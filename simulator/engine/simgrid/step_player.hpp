#pragma once

#include "platforms/model/cluster.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// The reference: plays every message of every round of a plan as a SimGrid communication and every
/// compute op as an execution, on the public S4U interface alone, latencies on the links. For a
/// process of its own. Throws InputError for LatencyMode::kOverlapped (not modelled here) and
/// IncompleteError naming what did not end.
Timeline play_step(const Plan& plan, const Cluster& cluster, const TimelineRequest& request);

}  // namespace gradwire
