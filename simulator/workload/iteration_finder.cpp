#include "simulator/workload/iteration_finder.hpp"

#include <algorithm>
#include <utility>

namespace gradwire {
namespace {

/// The median, the lower of the middle two when the count is even; absent without values.
std::optional<Nanoseconds> lower_median(std::vector<Nanoseconds> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Whether `next` is the iteration that ran right after `mark`. The profiler may leave out
/// iterations between two windows; its numbers tell.
bool follows(const Trace& trace, const BackwardMark& mark, const BackwardMark& next) {
  if (next.iteration != mark.iteration + 1) return false;
  const IterationMark& first = trace.iterations[static_cast<std::size_t>(mark.iteration)];
  const IterationMark& second = trace.iterations[static_cast<std::size_t>(next.iteration)];
  return first.inferred || second.inferred || second.number == first.number + 1;
}

}  // namespace

std::vector<BackwardMark> complete_backwards(const Trace& trace) {
  std::vector<BackwardMark> marks;
  for (const BackwardMark& mark : trace.backwards) {
    const bool again = !marks.empty() && marks.back().iteration == mark.iteration;
    if (trace.iterations[static_cast<std::size_t>(mark.iteration)].complete && !again) {
      marks.push_back(mark);
    }
  }
  return marks;
}

std::optional<std::int32_t> find_representative_iteration(const Trace& trace) {
  for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
    if (trace.iterations[i].representative) return static_cast<std::int32_t>(i);
  }
  std::vector<BackwardMark> marks = complete_backwards(trace);
  if (marks.empty()) return std::nullopt;
  std::stable_sort(marks.begin(), marks.end(), [](const BackwardMark& a, const BackwardMark& b) {
    return a.end - a.start < b.end - b.start;
  });
  return marks[(marks.size() - 1) / 2].iteration;
}

std::optional<Seconds> find_iteration_period(const Trace& trace) {
  const std::vector<BackwardMark> marks = complete_backwards(trace);
  std::vector<Nanoseconds> periods;
  for (std::size_t i = 1; i < marks.size(); ++i) {
    if (follows(trace, marks[i - 1], marks[i])) {
      periods.push_back(marks[i].start - marks[i - 1].start);
    }
  }
  if (periods.empty()) {
    for (const BackwardMark& mark : marks) {
      const IterationMark& iteration = trace.iterations[static_cast<std::size_t>(mark.iteration)];
      if (!iteration.inferred) periods.push_back(iteration.end - iteration.start);
    }
  }
  return lower_median(std::move(periods));
}

}  // namespace gradwire
