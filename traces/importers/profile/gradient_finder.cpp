#include "traces/importers/profile/gradient_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "traces/importers/profile/backward_finder.hpp"
#include "traces/importers/profile/iteration_marks.hpp"
#include "traces/importers/profile/tensor_dims.hpp"

namespace gradwire {
namespace {

struct LaunchedKernel {
  Nanoseconds launch{0};
  std::size_t kernel = 0;
};

/// Device work of each thread in launch order, communication apart.
using LaunchOrder = std::map<ThreadKey, std::vector<LaunchedKernel>>;

LaunchOrder order_by_launch(const ProfileRecords& records,
                            const std::vector<std::int32_t>& launch_of, const Trace& trace) {
  LaunchOrder order;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    if (launch_of[i] < 0 || trace.kernels[i].category == KernelCategory::kCommunication) continue;
    const HostSpan& call = records.calls[static_cast<std::size_t>(launch_of[i])].span;
    order[call.thread].push_back({call.start, i});
  }
  for (auto& [thread, kernels] : order) {
    std::stable_sort(
        kernels.begin(), kernels.end(),
        [](const LaunchedKernel& a, const LaunchedKernel& b) { return a.launch < b.launch; });
  }
  return order;
}

struct Ready {
  const Kernel* kernel = nullptr;
  bool own = false;  ///< the kernel is AccumulateGrad's own
};

/// The kernel whose end makes the gradient of `record` ready.
Ready find_ready_kernel(const AccumulateRecord& record, const LaunchOrder& order,
                        const Trace& trace) {
  const auto found = order.find(record.span.thread);
  if (found == order.end()) return {};
  const auto& kernels = found->second;
  const auto begins_after = [](Nanoseconds instant, const LaunchedKernel& kernel) {
    return instant < kernel.launch;
  };
  const auto begins_before = [](const LaunchedKernel& kernel, Nanoseconds instant) {
    return kernel.launch < instant;
  };
  const auto first =
      record.instant
          ? std::upper_bound(kernels.begin(), kernels.end(), record.span.start, begins_after)
          : std::lower_bound(kernels.begin(), kernels.end(), record.span.start, begins_before);
  const auto last = std::upper_bound(first, kernels.end(), record.span.end, begins_after);
  Ready ready;
  for (auto own = first; own != last; ++own) {
    const Kernel& kernel = trace.kernels[own->kernel];
    if (ready.kernel == nullptr || kernel.end() > ready.kernel->end()) ready = {&kernel, true};
  }
  if (ready.kernel == nullptr && first != kernels.begin()) {
    ready.kernel = &trace.kernels[std::prev(first)->kernel];
  }
  return ready;
}

/// An AccumulateGrad off the backward thread with dims [[]] and no type got no gradient at all.
bool is_undefined(const AccumulateRecord& record, const ThreadKey& backward_thread) {
  return record.span.thread != backward_thread && record.has_dims && record.dims.empty() &&
         !record.typed;
}

void set_size(const AccumulateRecord& record, Gradient& gradient) {
  gradient.dtype = record.dtype;
  // Dims [] mean a scalar only where a type stands beside them.
  if (!record.has_dims || (record.dims.empty() && !record.typed)) return;
  if (const auto count = element_count(record.dims)) {
    gradient.shape = record.dims;
    gradient.elements = Elements{*count};
  }
}

struct Tally {
  std::uint64_t own = 0;
  std::uint64_t earlier = 0;
  std::uint64_t unsized = 0;
  std::uint64_t undefined = 0;
  std::uint64_t outside = 0;
  std::uint64_t without_kernel = 0;
};

void report_tally(const Tally& tally, const std::string& what_are, ImportReport& report) {
  const auto count = [&](const char* kind, Severity severity, std::uint64_t times,
                         const char* what) {
    report.count(kind, severity, fmt::format("{} {}", times, what), times);
  };
  count(
      "accumulate-undefined", Severity::kNote, tally.undefined,
      "AccumulateGrad operators off the backward thread, with dims [[]] and no type, were ignored");
  count("gradient-outside-iterations", Severity::kNote, tally.outside,
        "gradients lie outside all iterations");
  count("gradient-without-kernel", Severity::kWarning, tally.without_kernel,
        "gradients follow no kernel of their thread and iteration and were left out");
  count("gradient-without-size", Severity::kWarning, tally.unsized,
        "gradients have no size in the trace (it was recorded without shapes)");
  const std::uint64_t found = tally.own + tally.earlier;
  report.gradients_found_by = found == 0 ? "nothing"
                                         : fmt::format(
                                               "{}: {} ready with their own kernel, {} "
                                               "with the last one launched before",
                                               what_are, tally.own, tally.earlier);
}

}  // namespace

void find_gradients(const ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                    Trace& trace, ImportReport& report) {
  const auto thread = find_backward_thread(records);
  const LaunchOrder order = order_by_launch(records, launch_of, trace);
  std::vector<const AccumulateRecord*> accumulates;
  for (const AccumulateRecord& record : records.accumulates) accumulates.push_back(&record);
  std::stable_sort(accumulates.begin(), accumulates.end(),
                   [](const auto* a, const auto* b) { return a->span.start < b->span.start; });
  Tally tally;
  for (const AccumulateRecord* record : accumulates) {
    if (is_undefined(*record, *thread)) {
      ++tally.undefined;
      continue;
    }
    const auto iteration = iteration_at(trace.iterations, record->span.start);
    if (!iteration) {
      ++tally.outside;
      continue;
    }
    const Ready ready = find_ready_kernel(*record, order, trace);
    if (ready.kernel == nullptr || ready.kernel->iteration != iteration) {
      ++tally.without_kernel;
      continue;
    }
    Gradient gradient;
    gradient.iteration = *iteration;
    gradient.ready = ready.kernel->end();
    gradient.device = ready.kernel->device;
    gradient.own_kernel = ready.own;
    gradient.parameter = record->parameter;
    set_size(*record, gradient);
    ++(ready.own ? tally.own : tally.earlier);
    if (!gradient.elements) ++tally.unsized;
    trace.gradients.push_back(std::move(gradient));
  }
  std::stable_sort(trace.gradients.begin(), trace.gradients.end(),
                   [](const Gradient& a, const Gradient& b) {
                     return std::tie(a.iteration, a.ready) < std::tie(b.iteration, b.ready);
                   });
  report_tally(tally, records.accumulates_are, report);
}

}  // namespace gradwire
