#include "traces/importers/profile/launch_linker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace gradwire {
namespace {

using CallIndex = std::vector<std::int32_t>;

CallIndex sort_by_correlation(const std::vector<CallRecord>& calls) {
  CallIndex order(calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const CallRecord& left = calls[static_cast<std::size_t>(a)];
    const CallRecord& right = calls[static_cast<std::size_t>(b)];
    return std::tie(left.correlation, left.span.start) <
           std::tie(right.correlation, right.span.start);
  });
  return order;
}

/// Calls that put work on a device say so in their names; the others can only share a correlation
/// by accident.
bool is_launch_name(const std::string& name) {
  return name.find("Launch") != std::string::npos || name.find("Memcpy") != std::string::npos ||
         name.find("Memset") != std::string::npos;
}

class Linker {
 public:
  explicit Linker(const ProfileRecords& records)
      : records_(records), order_(sort_by_correlation(records.calls)) {}

  std::span<const std::int32_t> calls_of(std::int64_t correlation) const {
    const auto less = [&](std::int32_t call, std::int64_t wanted) {
      return at(call).correlation < wanted;
    };
    const auto first = std::lower_bound(order_.begin(), order_.end(), correlation, less);
    auto last = first;
    while (last != order_.end() && at(*last).correlation == correlation) ++last;
    return {first, last};
  }

  /// Learns which process drives which device from the correlations that only one process uses.
  void learn_processes() {
    for (const DeviceRecord& record : records_.device) {
      if (!record.kernel.correlation) continue;
      const auto calls = calls_of(*record.kernel.correlation);
      if (calls.size() == 1)
        processes_[record.kernel.device].insert(at(calls.front()).span.thread.process);
    }
  }

  std::int32_t call_for(const Kernel& kernel) const {
    if (!kernel.correlation) return -1;
    const auto calls = calls_of(*kernel.correlation);
    if (calls.empty()) return -1;
    if (calls.size() == 1) return calls.front();
    std::int32_t best = -1;
    for (const std::int32_t call : calls) {
      if (best < 0 || rank(call, kernel) > rank(best, kernel)) best = call;
    }
    return best;
  }

 private:
  const CallRecord& at(std::int32_t call) const {
    return records_.calls[static_cast<std::size_t>(call)];
  }

  /// Larger fits better. Calls come by start, and the first of equals wins: of a runtime call and
  /// the driver call inside it, the outer one.
  std::tuple<bool, bool, bool, Nanoseconds> rank(std::int32_t call, const Kernel& kernel) const {
    const CallRecord& record = at(call);
    const auto processes = processes_.find(kernel.device);
    const bool same_process =
        processes == processes_.end() || processes->second.count(record.span.thread.process) > 0;
    const bool before = record.span.start <= kernel.start;
    const Nanoseconds distance =
        before ? kernel.start - record.span.start : record.span.start - kernel.start;
    return {same_process, is_launch_name(records_.call_names[record.name]), before, -distance};
  }

  const ProfileRecords& records_;
  CallIndex order_;
  std::map<std::int32_t, std::set<std::int64_t>> processes_;
};

}  // namespace

std::vector<std::int32_t> link_launches(ProfileRecords& records, ImportReport& report) {
  Linker linker(records);
  linker.learn_processes();
  std::vector<std::int32_t> launch_of(records.device.size(), -1);
  std::vector<std::uint64_t> linked_by(records.call_names.size());
  for (std::size_t i = 0; i < records.device.size(); ++i) {
    Kernel& kernel = records.device[i].kernel;
    launch_of[i] = linker.call_for(kernel);
    if (launch_of[i] < 0) continue;
    const CallRecord& call = records.calls[static_cast<std::size_t>(launch_of[i])];
    kernel.launch =
        Launch{call.span.start, call.span.end - call.span.start, call.span.thread.thread};
    ++linked_by[call.name];
    ++report.kernels_linked;
  }
  for (std::size_t name = 0; name < linked_by.size(); ++name) {
    if (linked_by[name] > 0) report.linked_by[records.call_names[name]] += linked_by[name];
  }
  const std::uint64_t unlinked = records.device.size() - report.kernels_linked;
  if (unlinked > 0) {
    // With most records unlinked nothing that follows from the launches can be trusted.
    const bool few_linked = report.kernels_linked * 2 < records.device.size();
    report.count(
        "kernel-without-launch", few_linked ? Severity::kWarning : Severity::kNote,
        fmt::format(
            "{} of {} device records have no launch in the capture; they belong to no iteration",
            unlinked, records.device.size()),
        unlinked);
  }
  return launch_of;
}

}  // namespace gradwire
