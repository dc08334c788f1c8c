#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simulator/workload/trace_fitness.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// Span over busy time from which a backward pass counts as launch-bound (decision 7).
inline constexpr double kLaunchBoundRatio = 1.2;

/// What a user must know before trusting a workload made of `chosen`, one sentence each. `span` and
/// `busy` are those of the recorded backward pass (`busy` absent without kernels); `clamped` counts
/// gradients whose recorded ready time lay outside it.
std::vector<std::string> find_workload_warnings(const Trace& trace, const ChosenIteration& chosen,
                                                Replay replay, Nanoseconds span,
                                                std::optional<Nanoseconds> busy,
                                                std::size_t clamped);

}  // namespace gradwire
