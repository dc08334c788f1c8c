#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// Iterations of a trace that has no marks. All are flagged inferred; those cut by the ends of the
/// capture are not complete. Mark times are launch times where launches are known, else device
/// times; the last mark ends with the last kernel.
struct InferredIterations {
  std::vector<IterationMark> marks;
  std::int64_t kernels_per_iteration =
      0;                ///< compute kernels of the period; of the whole file for a single iteration
  bool single = false;  ///< no period: the whole file is one iteration with one backward pass
};

/// Finds the iterations by the period of the sequence of compute kernels in launch order (name, and
/// whether the backward pass launched it); the phase is the largest idle gap of the device between
/// two kernels that is not inside the backward pass. A period holds kernels of the backward pass
/// and others; where no backward pass is known it holds every kernel that recurs all over the
/// trace, which what repeats inside an iteration (layers) does not. Absent when there is no period
/// and not exactly one backward pass.
std::optional<InferredIterations> infer_iterations(const Trace& trace);

/// Passes over the backward part: runs of backward kernels in launch order, with a compute kernel
/// of the rest between.
std::int64_t count_backward_runs(const Trace& trace);

}  // namespace gradwire
