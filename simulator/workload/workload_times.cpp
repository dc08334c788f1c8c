#include "simulator/workload/workload_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// Moves a gradient to `ready`; rounding must not pass the end of the pass.
void move_gradient(ReadyGradient& gradient, Seconds ready, Seconds end) {
  gradient.ready = std::min(ready, end);
  if (gradient.launched) gradient.launched = std::min(*gradient.launched, gradient.ready);
}

void scale(KernelClassTime& times, double factor) {
  times.total *= factor;
  for (Seconds& before : times.before) before *= factor;
}

bool is_chosen(const KernelClassTime& times, const std::string& name) {
  return name.empty() || times.name == name;
}

}  // namespace

void scale_times(Workload& workload, double factor) {
  GW_CHECK(factor > 0.0, "times are scaled by a factor above 0");
  if (factor == 1.0) return;
  workload.backward_span *= factor;
  for (ReadyGradient& gradient : workload.gradients) {
    move_gradient(gradient, gradient.ready * factor, workload.backward_span);
  }
  if (workload.backward_busy) *workload.backward_busy *= factor;
  for (KernelClassTime& times : workload.kernel_classes) scale(times, factor);
  workload.outside_backward.reset();
}

void scale_kernels(Workload& workload, double factor, const std::string& name) {
  GW_CHECK(factor > 0.0, "kernels are scaled by a factor above 0");
  if (workload.kernel_classes.empty()) {
    throw InputError(
        fmt::format("{}: holds no kernels, so its gaps and classes of kernels are unknown; a trace "
                    "with kernels is accepted",
                    workload.name));
  }
  std::vector<std::string> known;
  Seconds added{0};
  for (KernelClassTime& times : workload.kernel_classes) {
    known.push_back(times.name);
    if (!is_chosen(times, name)) continue;
    added += times.total * (factor - 1.0);
  }
  if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError(fmt::format("{}: class of kernels \"{}\" found; its backward pass has {}",
                                 workload.name, name, fmt::join(known, ", ")));
  }
  if (factor == 1.0) return;
  workload.backward_span += added;
  if (workload.backward_busy) *workload.backward_busy += added;
  for (std::size_t i = 0; i < workload.gradients.size(); ++i) {
    Seconds before{0};
    for (const KernelClassTime& times : workload.kernel_classes) {
      if (is_chosen(times, name)) before += times.before[i] * (factor - 1.0);
    }
    ReadyGradient& gradient = workload.gradients[i];
    move_gradient(gradient, std::max(Seconds{0}, gradient.ready + before), workload.backward_span);
  }
  for (KernelClassTime& times : workload.kernel_classes) {
    if (is_chosen(times, name)) scale(times, factor);
  }
  workload.outside_backward.reset();
}

void repeat_backward(Workload& workload, int passes) {
  GW_CHECK(passes >= 1, "at least one backward pass is needed");
  if (passes == 1) return;
  const Seconds in_front = workload.backward_span * (passes - 1);
  for (ReadyGradient& gradient : workload.gradients) {
    gradient.ready += in_front;
    if (gradient.launched) *gradient.launched += in_front;
  }
  workload.backward_span += in_front;
  if (workload.backward_busy) *workload.backward_busy *= passes;
  for (KernelClassTime& times : workload.kernel_classes) {
    for (Seconds& before : times.before) before += times.total * (passes - 1);
    times.total *= passes;
  }
  if (workload.batch) *workload.batch *= passes;
  workload.outside_backward.reset();
}

void hold_back_gradients(Workload& workload) {
  for (ReadyGradient& gradient : workload.gradients) gradient.ready = workload.backward_span;
  for (KernelClassTime& times : workload.kernel_classes) {
    for (Seconds& before : times.before) before = times.total;
  }
}

std::vector<KernelClassTime> kernel_class_times(std::vector<ClassedStretch> kernels,
                                                const std::vector<Nanoseconds>& times) {
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const ClassedStretch& a, const ClassedStretch& b) {
                     return a.stretch.start < b.stretch.start;
                   });
  std::map<std::string, std::vector<BusyTime::Stretch>> by_class;
  Nanoseconds covered = Nanoseconds::min();
  for (const auto& [kernel_class, stretch] : kernels) {
    const Nanoseconds start = std::max(stretch.start, covered);
    if (stretch.end <= start) continue;
    by_class[kernel_class].push_back({start, stretch.end});
    covered = stretch.end;
  }
  std::vector<KernelClassTime> result;
  for (auto& [name, stretches] : by_class) {
    const BusyTime busy(std::move(stretches));
    KernelClassTime& of_class = result.emplace_back();
    of_class.name = name;
    of_class.total = busy.total();
    for (const Nanoseconds time : times) of_class.before.emplace_back(busy.before(time));
  }
  return result;
}

}  // namespace gradwire
