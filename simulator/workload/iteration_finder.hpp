#pragma once

#include <cstdint>
#include <optional>

#include "base/units.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// The iteration to replay: the marked representative one, else the complete one with the median backward span (the
/// lower of two), else absent.
std::optional<std::int32_t> find_representative_iteration(const Trace& trace);

/// Time from one backward pass's start to the next one's on the device: the median over consecutive complete
/// iterations. With one iteration: its mark's length when the profiler marked it. Absent when neither is there.
std::optional<Seconds> find_iteration_period(const Trace& trace);

}  // namespace gradwire
