#pragma once

#include "simulator/plan/plan.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// Data-parallel training as DDP does it: backward compute between gradient-ready points, a
/// bucket's all-reduce behind the compute that fills it, buckets launched in order on one
/// communication stream. With a compressor that is no cast: the whole backward pass, encode, the
/// scheme's collectives and decode, one after the other. One worker communicates nothing. Throws as
/// `check_scenario` and `tensor_shapes`.
Plan make_plan(const Scenario& scenario);

/// A plan of one collective that starts at once on every rank.
Plan make_collective_plan(std::shared_ptr<const Schedule> collective, LatencyMode mode);

}  // namespace gradwire
