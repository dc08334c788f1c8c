#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/workload/workload.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

struct WorkloadOptions {
  Replay replay = Replay::kRecorded;
  /// Which iteration of the trace; the representative one when absent. Index into
  /// Trace::iterations.
  std::optional<std::int32_t> iteration;
};

/// The workload of one iteration of `trace`. `name` stands for the trace in messages. Throws
/// InputError, one sentence with what to do, when the trace has no backward pass, no gradients,
/// gradients without sizes or of unknown dtype, an iteration that is not there, or a way of
/// training that is not modelled (Trace::parallelism). A trace without any kernels (a list of ready
/// times) is replayed as recorded only; its busy time stays unknown.
Workload make_workload(const Trace& trace, const std::string& name, const WorkloadOptions& options);

}  // namespace gradwire
