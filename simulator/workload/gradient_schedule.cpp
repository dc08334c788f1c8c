#include "simulator/workload/gradient_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/workload/busy_time.hpp"
#include "simulator/workload/iteration_finder.hpp"
#include "simulator/workload/iteration_jitter.hpp"
#include "simulator/workload/kernel_class.hpp"
#include "simulator/workload/trace_fitness.hpp"
#include "simulator/workload/workload_times.hpp"
#include "simulator/workload/workload_warnings.hpp"

namespace gradwire {
namespace {

std::int32_t wanted_iteration(const Trace& trace, const std::string& name,
                              const WorkloadOptions& options) {
  if (trace.iterations.empty()) {
    throw InputError(
        fmt::format("{}: holds no iterations; a trace of training over at least one whole "
                    "iteration is accepted",
                    name));
  }
  if (options.iteration) return *options.iteration;
  const std::optional<std::int32_t> found = find_representative_iteration(trace);
  if (!found) {
    throw InputError(
        fmt::format("{}: none of its {} iterations is complete and has a backward pass; "
                    "a trace of training over at least one whole iteration is accepted",
                    name, trace.iterations.size()));
  }
  return *found;
}

std::string device_name(const Trace& trace, std::int32_t index) {
  for (const DeviceFacts& device : trace.devices) {
    if (device.index == index) return device.name;
  }
  return {};
}

/// Busy time of the backward pass; absent when `trace` holds no kernels at all.
std::optional<BusyTime> known_busy_time(const Trace& trace, const std::string& name,
                                        const ChosenIteration& chosen, Replay replay) {
  if (trace.kernels.empty()) {
    if (replay == Replay::kCompacted) {
      throw InputError(
          fmt::format("{}: holds no kernels, so its idle gaps cannot be taken out (--replay "
                      "compacted); --replay recorded is accepted",
                      name));
    }
    if (chosen.backward.end == chosen.backward.start) {
      throw InputError(
          fmt::format("{}: the backward pass of iteration {} takes no time and there are no "
                      "kernels; a ready time above 0 is accepted",
                      name, chosen.index));
    }
    return std::nullopt;
  }
  BusyTime busy = find_backward_busy_time(trace, chosen.backward, chosen.device);
  if (busy.total() == Nanoseconds{0}) {
    throw InputError(
        fmt::format("{}: no kernel of iteration {}'s backward pass takes any time on "
                    "device {}; a trace with CUDA activity enabled is accepted",
                    name, chosen.index, chosen.device));
  }
  return busy;
}

/// Launches of one backward pass by the start of their kernels, to ask what the host was at.
class LaunchTimes {
 public:
  LaunchTimes(const Trace& trace, const ChosenIteration& chosen) {
    for (const Kernel& kernel : trace.kernels) {
      if (!kernel.in_backward || kernel.iteration != chosen.index ||
          kernel.device != chosen.device || !kernel.launch) {
        continue;
      }
      launches_.push_back({kernel.start, kernel.launch->start});
      last_ = std::max(last_, kernel.launch->start + kernel.launch->duration);
    }
  }

  /// When the first kernel that starts at or after `ready` was launched; behind the last kernel,
  /// when the last launch ended. Absent without launches.
  std::optional<Nanoseconds> behind(Nanoseconds ready) const {
    if (launches_.empty()) return std::nullopt;
    const auto found = std::lower_bound(
        launches_.begin(), launches_.end(), ready,
        [](const Launched& kernel, Nanoseconds time) { return kernel.start < time; });
    return found == launches_.end() ? last_ : found->launch;
  }

 private:
  struct Launched {
    Nanoseconds start{0};  // on the device; the trace has kernels in this order
    Nanoseconds launch{0};
  };

  std::vector<Launched> launches_;
  Nanoseconds last_ = Nanoseconds::min();
};

/// The gradients with their ready times from the start of the pass, as recorded or, with
/// `compacted`, without its idle gaps, which the host's clock then loses too; `clamped` counts
/// those recorded outside the pass.
std::vector<ReadyGradient> schedule(const ChosenIteration& chosen, const BusyTime* compacted,
                                    const LaunchTimes& launches, std::size_t& clamped) {
  std::vector<ReadyGradient> gradients;
  gradients.reserve(chosen.gradients.size());
  for (const Gradient* from : chosen.gradients) {
    const Nanoseconds ready = std::clamp(from->ready, chosen.backward.start, chosen.backward.end);
    if (ready != from->ready) ++clamped;
    ReadyGradient to;
    to.parameter = from->parameter;
    to.shape = from->shape;
    to.elements = elements_of(*from).value();
    to.dtype = from->dtype;
    to.device = from->device;
    const auto replayed = [&](Nanoseconds time) {
      return compacted != nullptr ? compacted->before(time) : time - chosen.backward.start;
    };
    to.ready = replayed(ready);
    if (const auto launch = launches.behind(ready)) {
      to.launched = replayed(std::min(*launch, ready));
    }
    gradients.push_back(std::move(to));
  }
  return gradients;
}

/// The kernels of the backward pass by class.
std::vector<KernelClassTime> class_times(const Trace& trace, const ChosenIteration& chosen) {
  std::vector<ClassedStretch> kernels;
  for (const Kernel& kernel : trace.kernels) {
    if (!kernel.in_backward || kernel.iteration != chosen.index || kernel.device != chosen.device) {
      continue;
    }
    kernels.push_back({std::string{kernel_class_of(trace.names[kernel.name])},
                       {std::max(kernel.start, chosen.backward.start),
                        std::min(kernel.end(), chosen.backward.end)}});
  }
  std::vector<Nanoseconds> ready;
  for (const Gradient* gradient : chosen.gradients) {
    ready.push_back(std::clamp(gradient->ready, chosen.backward.start, chosen.backward.end));
  }
  return kernel_class_times(std::move(kernels), ready);
}

/// How the times of the backward pass are known.
std::string standing_of(const Trace& trace) {
  if (!trace.provenance.standing.empty()) return trace.provenance.standing;
  return trace.kernels.empty() ? "given" : "measured";
}

/// The same as one sentence.
std::string describe_basis(const Trace& trace, const Workload& workload) {
  std::string_view what = "kernels as the profiler recorded them";
  if (trace.kernels.empty()) what = "a list of ready times";
  if (!trace.provenance.basis.empty()) what = trace.provenance.basis;
  return fmt::format("the backward pass of {}{} is {}: {}{}{}",
                     format_duration(workload.backward_span),
                     workload.batch ? fmt::format(" at a batch of {}", *workload.batch) : "",
                     workload.compute_standing, what,
                     workload.device_name.empty() ? "" : " on " + workload.device_name,
                     trace.provenance.source.empty() ? "" : ", from " + trace.provenance.source);
}

}  // namespace

Workload make_workload(const Trace& trace, const std::string& name,
                       const WorkloadOptions& options) {
  refuse_unmodelled_training(trace, name);
  const ChosenIteration chosen =
      choose_iteration(trace, name, wanted_iteration(trace, name, options));
  const std::optional<BusyTime> busy = known_busy_time(trace, name, chosen, options.replay);
  std::optional<Nanoseconds> busy_total;
  if (busy) busy_total = busy->total();
  const BusyTime* compacted = options.replay == Replay::kCompacted ? &busy.value() : nullptr;

  const Nanoseconds span = chosen.backward.end - chosen.backward.start;
  std::size_t clamped = 0;
  Workload workload;
  workload.name = name;
  workload.device_name = device_name(trace, chosen.device);
  workload.replay = options.replay;
  workload.gradients = schedule(chosen, compacted, LaunchTimes(trace, chosen), clamped);
  workload.backward_busy = busy_total;
  workload.kernel_classes = class_times(trace, chosen);
  const Nanoseconds replayed = compacted != nullptr ? compacted->total() : span;
  workload.backward_span = replayed;
  workload.iteration_factors =
      find_iteration_factors(trace, options.replay, replayed, chosen.device);
  workload.batch = trace.batch_size;
  workload.compute_standing = standing_of(trace);
  workload.compute_basis = describe_basis(trace, workload);
  const std::optional<Seconds> period = find_iteration_period(trace);
  if (period && *period > span) workload.outside_backward = *period - span;
  workload.warnings =
      find_workload_warnings(trace, chosen, options.replay, span, busy_total, clamped);
  return workload;
}

}  // namespace gradwire
