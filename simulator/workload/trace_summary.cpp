#include "simulator/workload/trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/errors.hpp"
#include "simulator/workload/busy_time.hpp"
#include "simulator/workload/gradient_schedule.hpp"
#include "simulator/workload/gradient_summary.hpp"
#include "simulator/workload/iteration_finder.hpp"

namespace gradwire {
namespace {

constexpr std::array kCategories = {KernelCategory::kCompute, KernelCategory::kCommunication,
                                    KernelCategory::kMemcpy, KernelCategory::kMemset};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

/// An iteration while its kernels are being counted.
struct Tally {
  IterationSummary summary;
  std::int32_t device = 0;  // of the backward pass
  std::vector<BusyTime::Stretch> backward_kernels;
  Nanoseconds backward_busy{0};
};

void count_kernel(const Kernel& kernel, Tally& tally) {
  const bool copy =
      kernel.category == KernelCategory::kMemcpy || kernel.category == KernelCategory::kMemset;
  ++(copy ? tally.summary.copies : tally.summary.kernels);
  if (!kernel.in_backward || kernel.category != KernelCategory::kCompute) return;
  if (tally.summary.backward_kernels++ == 0) tally.device = kernel.device;
  tally.backward_kernels.push_back({kernel.start, kernel.end()});
}

std::vector<IterationSummary> summarise_iterations(const Trace& trace) {
  std::vector<Tally> tallies(trace.iterations.size());
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.iteration) {
      count_kernel(kernel, tallies[static_cast<std::size_t>(*kernel.iteration)]);
    }
  }
  for (const BackwardMark& mark : trace.backwards) {
    Tally& tally = tallies[static_cast<std::size_t>(mark.iteration)];
    ++tally.summary.backward_passes;
    tally.summary.backward_span += mark.end - mark.start;
    tally.backward_busy += find_backward_busy_time(trace, mark, tally.device).total();
  }
  std::vector<IterationSummary> iterations;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const IterationMark& mark = trace.iterations[i];
    IterationSummary& summary = tallies[i].summary;
    summary.number = mark.number;
    summary.inferred = mark.inferred;
    summary.complete = mark.complete;
    summary.length = mark.end - mark.start;
    if (!trace.kernels.empty()) {
      summary.backward_kernel_busy = BusyTime{std::move(tallies[i].backward_kernels)}.total();
      summary.backward_busy = tallies[i].backward_busy;
    }
    iterations.push_back(summary);
  }
  return iterations;
}

std::optional<MedianSummary> find_medians(const std::vector<IterationSummary>& iterations) {
  std::vector<IterationSummary> used;
  std::copy_if(iterations.begin(), iterations.end(), std::back_inserter(used),
               [](const auto& item) { return item.complete && item.backward_passes > 0; });
  if (used.empty()) return std::nullopt;
  const auto median_of = [&used](auto value) {
    std::vector<double> values;
    for (const IterationSummary& iteration : used) values.push_back(value(iteration));
    return median(std::move(values));
  };
  MedianSummary result;
  result.iterations = used.size();
  result.kernels = median_of([](const auto& i) { return static_cast<double>(i.kernels); });
  result.backward_kernels =
      median_of([](const auto& i) { return static_cast<double>(i.backward_kernels); });
  if (used.front().backward_busy) {
    result.backward_kernel_busy =
        Seconds{median_of([](const auto& i) { return i.backward_kernel_busy.value().count(); })};
    result.backward_busy =
        Seconds{median_of([](const auto& i) { return i.backward_busy.value().count(); })};
  }
  result.backward_span = Seconds{median_of([](const auto& i) { return i.backward_span.count(); })};
  return result;
}

KernelClassSummary summarise_class(const Trace& trace, KernelCategory category) {
  KernelClassSummary summary;
  summary.category = category;
  std::vector<double> counts(trace.iterations.size(), 0.0);
  std::vector<double> times(trace.iterations.size(), 0.0);
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.category != category) continue;
    ++summary.kernels;
    summary.time += kernel.duration;
    if (!kernel.iteration) continue;
    const auto index = static_cast<std::size_t>(*kernel.iteration);
    counts[index] += 1.0;
    times[index] += Seconds{kernel.duration}.count();
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!trace.iterations[i].complete) continue;
    counts[kept] = counts[i];
    times[kept] = times[i];
    ++kept;
  }
  if (kept > 0) {
    counts.resize(kept);
    times.resize(kept);
    summary.kernels_per_iteration = median(counts);
    summary.time_per_iteration = Seconds{median(times)};
  }
  return summary;
}

std::vector<CommunicationSummary> summarise_communications(
    const Trace& trace, const std::optional<std::size_t>& representative) {
  std::vector<CommunicationSummary> summaries;
  const auto key = [](const auto& item) {
    return std::tuple(item.collective, item.dtype, item.group_size);
  };
  for (const Communication& communication : trace.communications) {
    auto found = std::find_if(summaries.begin(), summaries.end(), [&](const auto& summary) {
      return key(summary) == key(communication);
    });
    if (found == summaries.end()) {
      summaries.push_back(
          {communication.collective, communication.dtype, communication.group_size, 0, {}});
      found = std::prev(summaries.end());
    }
    ++found->count;
    const bool counts =
        !representative || (communication.iteration &&
                            static_cast<std::size_t>(*communication.iteration) == *representative);
    if (counts) found->sizes.push_back(communication.in_elements);
  }
  std::stable_sort(summaries.begin(), summaries.end(),
                   [&key](const auto& a, const auto& b) { return key(a) < key(b); });
  return summaries;
}

void add_workload(const Trace& trace, TraceSummary& summary) {
  try {
    summary.workload = make_workload(trace, summary.name, {});
    summary.buckets = make_buckets(summary.workload->gradients, summary.caps);
  } catch (const InputError& error) {
    std::string reason = error.what();
    const std::string prefix = summary.name + ": ";
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
    summary.missing.push_back("no workload can be made of this trace: " + reason);
  }
}

void find_missing(TraceSummary& summary) {
  std::vector<std::string>& missing = summary.missing;
  if (summary.iterations.empty()) missing.emplace_back("iterations: none were found");
  if (summary.kernels == 0) missing.emplace_back("kernels: none were recorded");
  if (!summary.iteration_period) {
    missing.emplace_back(
        "the time of a whole iteration, so forward and optimiser cannot be shown beside the "
        "backward pass");
  }
  if (summary.parameters && summary.parameters->named < summary.parameters->parameters) {
    missing.push_back(fmt::format("the names of {} parameters",
                                  summary.parameters->parameters - summary.parameters->named));
  }
  if (summary.kernels_without_launch > 0) {
    missing.push_back(fmt::format("the launch of {} of {} kernels", summary.kernels_without_launch,
                                  summary.kernels));
  }
  const bool known_device =
      std::any_of(summary.devices.begin(), summary.devices.end(),
                  [](const DeviceFacts& device) { return !device.name.empty(); });
  if (!known_device) missing.emplace_back("the device's name");
}

}  // namespace

TraceSummary summarise_trace(const Imported& imported, const std::string& name,
                             const BucketCaps& caps) {
  if (caps.first <= Bytes{0} || caps.rest <= Bytes{0}) {
    throw InputError("bucket caps: 0 bytes found; at least 1 byte is accepted");
  }
  const Trace& trace = imported.trace;
  TraceSummary summary;
  summary.name = name;
  summary.format = imported.report.format;
  summary.devices = trace.devices;
  summary.software = trace.software;
  summary.rank = trace.rank;
  summary.world_size = trace.world_size;
  summary.batch_size = trace.batch_size;
  summary.provenance = trace.provenance;
  summary.parallelism = trace.parallelism;
  summary.kernels = trace.kernels.size();
  for (const Kernel& kernel : trace.kernels) {
    if (!kernel.iteration) ++summary.kernels_outside_iterations;
    if (!kernel.launch) ++summary.kernels_without_launch;
  }
  for (const KernelCategory category : kCategories) {
    summary.kernel_classes.push_back(summarise_class(trace, category));
  }
  summary.iterations = summarise_iterations(trace);
  if (const auto representative = find_representative_iteration(trace)) {
    summary.representative = static_cast<std::size_t>(*representative);
    summary.iterations[*summary.representative].representative = true;
    summary.parameters = summarise_gradients(trace, *representative);
  }
  summary.median = find_medians(summary.iterations);
  summary.iteration_period = find_iteration_period(trace);
  summary.communications = summarise_communications(trace, summary.representative);
  summary.caps = caps;
  summary.defects = imported.report.defects;
  add_workload(trace, summary);
  find_missing(summary);
  return summary;
}

}  // namespace gradwire
