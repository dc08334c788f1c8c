#pragma once

#include <cstdint>
#include <vector>

#include "simulator/workload/workload.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// How long the backward pass of every complete iteration of `trace` is, over `replayed`: its span
/// or, compacted, its busy time on `device`. One factor an iteration: that its kernels did not all
/// vary alike is left out. Iterations whose backward pass takes no time are left out too. Requires
/// `replayed` above 0.
std::vector<IterationFactor> find_iteration_factors(const Trace& trace, Replay replay,
                                                    Nanoseconds replayed, std::int32_t device);

}  // namespace gradwire
