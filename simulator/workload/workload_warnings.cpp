#include "simulator/workload/workload_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "traces/model/trace_merge.hpp"

namespace gradwire {
namespace {

std::string describe_gaps(Replay replay, Nanoseconds span, Nanoseconds busy) {
  const std::string facts =
      fmt::format("the recorded backward pass takes {} but the device is busy for only {} of it",
                  format_duration(span), format_duration(busy));
  if (replay == Replay::kCompacted) {
    return fmt::format("{}; the idle gaps were taken out (--replay compacted)", facts);
  }
  return fmt::format("launch-bound or profiler overhead: {}; consider --replay compacted", facts);
}

/// The ranks of a trace that trace-merge made; empty for one of a single process.
std::string merged_ranks(const Trace& trace) {
  for (const Fact& fact : trace.software) {
    if (fact.name == kMergedRanksFact) return fact.value;
  }
  return {};
}

std::size_t count_communication_kernels(const Trace& trace, const ChosenIteration& chosen) {
  const auto overlaps = [&chosen](const Kernel& kernel) {
    return kernel.category == KernelCategory::kCommunication && kernel.device == chosen.device &&
           kernel.start < chosen.backward.end && kernel.end() > chosen.backward.start;
  };
  return static_cast<std::size_t>(
      std::count_if(trace.kernels.begin(), trace.kernels.end(), overlaps));
}

/// What a list of ready times without kernels leaves in doubt.
void add_list_warnings(const Trace& trace, const ChosenIteration& chosen,
                       std::vector<std::string>& warnings) {
  warnings.emplace_back(
      "the trace lists ready times and no kernels, so it does not tell whether they hold idle gaps "
      "or the slow-down of overlapping");
  if (!trace.batch_size) {
    warnings.emplace_back(
        "the batch size behind the ready times is unknown: they are good relative to each other, "
        "their total belongs to no known job");
  }
  if (chosen.gradients.front()->ready == chosen.backward.start) {
    warnings.emplace_back(
        "the first gradient is ready at the very start: the times count from it, and the backward "
        "pass before it is missing");
  }
}

/// What the iteration itself and its neighbours leave in doubt.
void add_iteration_warnings(const Trace& trace, const ChosenIteration& chosen,
                            std::vector<std::string>& warnings) {
  const IterationMark& mark = trace.iterations[static_cast<std::size_t>(chosen.index)];
  if (mark.inferred && !trace.kernels.empty()) {
    warnings.emplace_back(
        "the iterations were inferred from the period of the kernels; the profiler marked none");
  }
  if (!mark.complete) {
    warnings.push_back(fmt::format(
        "iteration {} is cut by an end of the capture; parts of it may be missing", chosen.index));
  }
  if (chosen.index == 0 && !trace.kernels.empty()) {
    warnings.emplace_back(
        "the replayed iteration is the first of the capture, which may hold warm-up work");
  }
  const auto complete = std::count_if(
      trace.backwards.begin(), trace.backwards.end(), [&trace](const BackwardMark& backward) {
        return trace.iterations[static_cast<std::size_t>(backward.iteration)].complete;
      });
  if (complete <= 1) {
    warnings.emplace_back(
        "the trace holds only one complete iteration, so nothing is known about jitter");
  }
}

}  // namespace

std::vector<std::string> find_workload_warnings(const Trace& trace, const ChosenIteration& chosen,
                                                Replay replay, Nanoseconds span,
                                                std::optional<Nanoseconds> busy,
                                                std::size_t clamped) {
  std::vector<std::string> warnings;
  if (!busy) {
    add_list_warnings(trace, chosen, warnings);
  } else if (static_cast<double>(span.count()) >
             kLaunchBoundRatio * static_cast<double>(busy->count())) {
    warnings.push_back(describe_gaps(replay, span, *busy));
  }
  const std::size_t communications = count_communication_kernels(trace, chosen);
  if (communications > 0) {
    warnings.push_back(
        fmt::format("communication ran during the recorded backward pass (kernels: {}); "
                    "its compute may already hold the slow-down of overlapping",
                    communications));
  }
  add_iteration_warnings(trace, chosen, warnings);
  if (const std::string ranks = merged_ranks(trace); !ranks.empty()) {
    warnings.push_back(
        fmt::format("the trace holds the ranks {}: rank {} is replayed, on device {} of the trace",
                    ranks, trace.rank.value_or(0), chosen.device));
  }
  const auto unnamed = std::count_if(chosen.gradients.begin(), chosen.gradients.end(),
                                     [](const Gradient* g) { return g->parameter.empty(); });
  if (unnamed > 0) {
    warnings.push_back(fmt::format("{} of {} parameters have no name in the trace", unnamed,
                                   chosen.gradients.size()));
  }
  if (clamped > 0) {
    warnings.push_back(fmt::format(
        "{} of {} gradients were recorded as ready outside the backward pass; they count as ready "
        "at its nearer end",
        clamped, chosen.gradients.size()));
  }
  return warnings;
}

}  // namespace gradwire
