#include "simulator/timeline/measured_timeline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/collective_kind.hpp"
#include "base/dtype.hpp"

namespace gradwire {
namespace {

/// The communication that each kernel carries out, by index into Trace::kernels.
std::map<std::uint64_t, const Communication*> communications_by_kernel(const Trace& trace) {
  std::map<std::uint64_t, const Communication*> found;
  for (const Communication& item : trace.communications) {
    if (item.kernel) found[*item.kernel] = &item;
  }
  return found;
}

bool is_computing(const Kernel& kernel, const BackwardMark& backward, std::int32_t device) {
  return kernel.in_backward && kernel.iteration == backward.iteration && kernel.device == device;
}

bool is_communicating(const Kernel& kernel, const BackwardMark& backward, std::int32_t device) {
  return kernel.category == KernelCategory::kCommunication &&
         kernel.iteration == backward.iteration && kernel.device == device &&
         kernel.start >= backward.start;
}

/// The stream whose backward kernels take longest; the smallest of several.
std::optional<StreamId> main_stream(const Trace& trace, const BackwardMark& backward,
                                    std::int32_t device) {
  std::map<StreamId, Nanoseconds> busy;
  for (const Kernel& kernel : trace.kernels) {
    if (is_computing(kernel, backward, device)) busy[kernel.stream] += kernel.duration;
  }
  const auto longest = std::max_element(
      busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest == busy.end() ? std::nullopt : std::optional(longest->first);
}

void describe_collective(const Communication& item, Interval& interval) {
  if (item.collective != CollectiveKind::kOpaque) interval.label = name_of(item.collective);
  const std::optional<Bytes> size = element_size(item.dtype);
  if (item.in_elements && size) interval.payload = *item.in_elements * *size;
}

}  // namespace

Timeline measured_timeline(const Trace& trace, const BackwardMark& backward, std::int32_t device) {
  const auto communications = communications_by_kernel(trace);
  const std::optional<StreamId> main = main_stream(trace, backward, device);
  Timeline timeline;
  timeline.workers = trace.world_size.value_or(1);
  timeline.last_rank = trace.rank.value_or(0);
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const Kernel& kernel = trace.kernels[i];
    const bool communicates = is_communicating(kernel, backward, device);
    if (!communicates && !is_computing(kernel, backward, device)) continue;
    Interval interval;
    interval.rank = timeline.last_rank;
    interval.op = static_cast<int>(timeline.intervals.size());
    interval.label = trace.names[kernel.name];
    interval.start = kernel.start - backward.start;
    interval.end = kernel.end() - backward.start;
    if (communicates) {
      interval.activity = Activity::kCommunication;
      const auto known = communications.find(i);
      if (known != communications.end()) describe_collective(*known->second, interval);
    } else {
      interval.work = kernel.duration;
      interval.side_stream = kernel.stream != main;
    }
    timeline.end = std::max(timeline.end, interval.end);
    timeline.intervals.push_back(std::move(interval));
  }
  return timeline;
}

}  // namespace gradwire
