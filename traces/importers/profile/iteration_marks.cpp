#include "traces/importers/profile/iteration_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace gradwire {
namespace {

/// Kernels (copies and sets apart) of each iteration.
std::vector<std::int64_t> count_kernels(const Trace& trace) {
  std::vector<std::int64_t> counts(trace.iterations.size());
  for (const Kernel& kernel : trace.kernels) {
    const bool counted = kernel.category == KernelCategory::kCompute ||
                         kernel.category == KernelCategory::kCommunication;
    if (counted && kernel.iteration) ++counts[static_cast<std::size_t>(*kernel.iteration)];
  }
  return counts;
}

/// The count that most iterations have; of equally frequent ones the largest.
std::int64_t usual_count(const std::vector<std::int64_t>& counts) {
  std::map<std::int64_t, std::size_t> times;
  for (const std::int64_t count : counts) {
    if (count > 0) ++times[count];
  }
  std::int64_t usual = 0;
  std::size_t most = 0;
  for (const auto& [count, frequency] : times) {
    if (frequency >= most) {
      usual = count;
      most = frequency;
    }
  }
  return usual;
}

void find_incomplete(Trace& trace, ImportReport& report) {
  const std::vector<std::int64_t> counts = count_kernels(trace);
  const std::int64_t needed = report.lost_data() ? usual_count(counts) : 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] >= std::max<std::int64_t>(needed, 1)) continue;
    trace.iterations[i].complete = false;
    report.count(
        "iteration-incomplete", Severity::kNote,
        fmt::format("iteration {} holds {} kernels", trace.iterations[i].number, counts[i]));
  }
}

void choose_representative(Trace& trace) {
  std::vector<const BackwardMark*> marks;
  for (const BackwardMark& mark : trace.backwards) {
    if (trace.iterations[static_cast<std::size_t>(mark.iteration)].complete) marks.push_back(&mark);
  }
  if (marks.empty()) return;
  std::stable_sort(marks.begin(), marks.end(), [](const BackwardMark* a, const BackwardMark* b) {
    return a->end - a->start < b->end - b->start;
  });
  const BackwardMark* median = marks[(marks.size() - 1) / 2];
  trace.iterations[static_cast<std::size_t>(median->iteration)].representative = true;
}

}  // namespace

std::vector<IterationMark> marks_of_steps(const ProfileRecords& records) {
  std::vector<StepRecord> steps = records.steps;
  std::stable_sort(steps.begin(), steps.end(), [](const StepRecord& a, const StepRecord& b) {
    return a.span.start < b.span.start;
  });
  std::vector<IterationMark> marks;
  std::set<std::int64_t> numbers;
  for (const StepRecord& step : steps) {
    if (!numbers.insert(step.number).second) continue;
    IterationMark mark;
    mark.number = step.number;
    mark.start = step.span.start;
    mark.end = step.span.end;
    mark.complete = step.complete;
    marks.push_back(mark);
  }
  return marks;
}

std::optional<std::int32_t> iteration_at(const std::vector<IterationMark>& marks,
                                         Nanoseconds instant) {
  const auto after = std::upper_bound(
      marks.begin(), marks.end(), instant,
      [](Nanoseconds value, const IterationMark& mark) { return value < mark.start; });
  if (after == marks.begin() || std::prev(after)->end < instant) return std::nullopt;
  return static_cast<std::int32_t>(std::prev(after) - marks.begin());
}

void assign_kernels(Trace& trace, ImportReport& report) {
  std::uint64_t outside = 0;
  for (Kernel& kernel : trace.kernels) {
    if (!kernel.launch) continue;
    kernel.iteration = iteration_at(trace.iterations, kernel.launch->start);
    if (!kernel.iteration) ++outside;
  }
  if (outside > 0 && !trace.iterations.empty()) {
    report.count("kernel-outside-iterations", Severity::kNote,
                 fmt::format("{} device records were launched outside all iterations", outside),
                 outside);
  }
}

void mark_backwards(Trace& trace, ImportReport& report) {
  find_incomplete(trace, report);
  std::map<std::int32_t, BackwardMark> backwards;
  for (const Kernel& kernel : trace.kernels) {
    if (!kernel.in_backward || !kernel.iteration || kernel.category != KernelCategory::kCompute)
      continue;
    auto [found, first] = backwards.try_emplace(*kernel.iteration);
    BackwardMark& mark = found->second;
    mark.iteration = *kernel.iteration;
    mark.start = first ? kernel.start : std::min(mark.start, kernel.start);
    mark.end = first ? kernel.end() : std::max(mark.end, kernel.end());
  }
  for (const auto& [iteration, mark] : backwards) trace.backwards.push_back(mark);
  choose_representative(trace);
}

}  // namespace gradwire
