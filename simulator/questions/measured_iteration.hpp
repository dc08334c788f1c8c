#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/questions/gradient_flow.hpp"
#include "simulator/timeline/timeline.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// What a trace recorded of one backward pass and its communication, to stand beside a simulation.
struct MeasuredIteration {
  std::string trace;
  std::int64_t iteration = 0;  ///< as the profiler counts it
  Timeline timeline;           ///< of the trace's one rank; its `op` is the order of kernels
  std::vector<GradientMark> gradients;  ///< by time; inside the backward pass
};

/// The iteration `index` (into Trace::iterations; the representative one when absent) of `trace`;
/// absent where it holds no communication from its backward pass on. `name` stands for the trace.
/// Throws as `choose_iteration`.
std::optional<MeasuredIteration> measured_iteration(const Trace& trace, const std::string& name,
                                                    std::optional<std::int32_t> index);

}  // namespace gradwire
