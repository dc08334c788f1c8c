#include "traces/importers/capture/capture_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace gradwire {
namespace {

struct Window {
  Nanoseconds begin{0};
  Nanoseconds end{0};

  bool holds(Nanoseconds instant) const { return begin <= instant && instant <= end; }
};

/// Keeps the iterations asked for and returns what they span; absent when none are left.
std::optional<Window> cut_steps(const CapturedHead& head, std::vector<StepRecord>& steps) {
  const auto count = static_cast<std::int64_t>(steps.size());
  const std::int64_t skipped = std::clamp<std::int64_t>(head.skip_iterations.value_or(0), 0, count);
  const std::int64_t kept =
      std::clamp<std::int64_t>(head.keep_iterations.value_or(count), 0, count - skipped);
  steps = std::vector<StepRecord>(steps.begin() + skipped, steps.begin() + skipped + kept);
  if (steps.empty()) return std::nullopt;
  return Window{steps.front().span.start, steps.back().span.end};
}

template <class Records, class IsOutside>
void drop(Records& records, IsOutside is_outside) {
  records.erase(std::remove_if(records.begin(), records.end(), is_outside), records.end());
}

}  // namespace

void cut_to_window(CollectedCapture& capture, ImportReport& report) {
  const CapturedHead& head = capture.head;
  ProfileRecords& records = capture.records;
  if (!head.skip_iterations && !head.keep_iterations) return;
  if (records.steps.empty()) {
    report.count("window-without-marks", Severity::kWarning,
                 "a number of iterations was asked for, but the program marks none: all that was "
                 "recorded is kept");
    return;
  }
  const std::size_t marked = records.steps.size();
  const std::optional<Window> window = cut_steps(head, records.steps);
  if (!window) {
    report.count("window-empty", Severity::kWarning,
                 fmt::format("{} iterations are marked, and {} were to be skipped", marked,
                             head.skip_iterations.value_or(0)));
    records.device.clear();
    return;
  }
  std::unordered_map<std::int64_t, Nanoseconds> launched;
  for (const CallRecord& call : records.calls) {
    const auto [found, first] = launched.try_emplace(call.correlation, call.span.start);
    if (!first) found->second = std::min(found->second, call.span.start);
  }
  const std::size_t before = records.device.size();
  drop(records.device, [&](const DeviceRecord& record) {
    const auto launch = launched.find(*record.kernel.correlation);
    return !window->holds(launch == launched.end() ? record.kernel.start : launch->second);
  });
  drop(records.accumulates,
       [&](const AccumulateRecord& record) { return !window->holds(record.span.start); });
  const std::size_t cut = before - records.device.size();
  report.count("outside-window", Severity::kNote,
               fmt::format("{} device records were launched outside the iterations asked for", cut),
               cut);
}

}  // namespace gradwire
