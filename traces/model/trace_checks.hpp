#pragma once

#include <string>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// What makes `trace` invalid, one sentence each naming record and value: negative durations,
/// indices out of range, kernels out of order, elements that disagree with the shape. Empty for a
/// valid trace.
std::vector<std::string> find_trace_defects(const Trace& trace);

}  // namespace gradwire
