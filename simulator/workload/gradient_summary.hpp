#pragma once

#include <cstdint>
#include <optional>

#include "simulator/workload/trace_summary.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// The parameters as the gradients of iteration `index` show them; absent when it has no gradients.
std::optional<ParameterSummary> summarise_gradients(const Trace& trace, std::int32_t index);

}  // namespace gradwire
