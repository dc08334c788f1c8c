#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// The first backward mark of each complete iteration, by iteration.
std::vector<BackwardMark> complete_backwards(const Trace& trace);

/// The iteration to replay: the marked representative one, else the complete one with the median
/// backward span (the lower of two), else absent.
std::optional<std::int32_t> find_representative_iteration(const Trace& trace);

/// Time from one backward pass's start to the next one's on the device: the median (the lower of
/// two) over consecutive complete iterations. Where none are consecutive: the median length of the
/// complete iterations that the profiler marked. Absent when neither is there.
std::optional<Seconds> find_iteration_period(const Trace& trace);

}  // namespace gradwire
