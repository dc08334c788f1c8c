#pragma once

#include <vector>

#include "platforms/model/cluster.hpp"
#include "simulator/plan/plan.hpp"

namespace gradwire {

/// What a message of each round of the plan's communication op `op` pays for latency, the plan's
/// jitter included.
RoundLatencies round_latencies(const Plan& plan, std::size_t op, const Cluster& cluster);

/// Of these the sum of each phase's rounds.
std::vector<Seconds> phase_latencies(const Plan& plan, std::size_t op, const Cluster& cluster);

}  // namespace gradwire
