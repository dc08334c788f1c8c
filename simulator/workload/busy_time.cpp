#include "simulator/workload/busy_time.hpp"

#include <algorithm>
#include <utility>

namespace gradwire {

BusyTime::BusyTime(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  Nanoseconds busy{0};
  for (const Stretch& next : stretches) {
    if (next.end <= next.start) continue;
    if (!stretches_.empty() && next.start <= stretches_.back().end) {
      const Nanoseconds end = std::max(stretches_.back().end, next.end);
      busy += end - stretches_.back().end;
      stretches_.back().end = end;
    } else {
      stretches_.push_back(next);
      busy_before_.push_back(busy);
      busy += next.end - next.start;
    }
  }
}

Nanoseconds BusyTime::total() const {
  if (stretches_.empty()) return Nanoseconds{0};
  return busy_before_.back() + (stretches_.back().end - stretches_.back().start);
}

Nanoseconds BusyTime::before(Nanoseconds time) const {
  const auto later = std::upper_bound(
      stretches_.begin(), stretches_.end(), time,
      [](Nanoseconds value, const Stretch& stretch) { return value < stretch.start; });
  if (later == stretches_.begin()) return Nanoseconds{0};
  const auto index = static_cast<std::size_t>(later - stretches_.begin()) - 1;
  return busy_before_[index] + (std::min(time, stretches_[index].end) - stretches_[index].start);
}

BusyTime find_backward_busy_time(const Trace& trace, const BackwardMark& mark,
                                 std::int32_t device) {
  return find_backward_busy_times(trace, {mark}, device).front();
}

std::vector<BusyTime> find_backward_busy_times(const Trace& trace,
                                               const std::vector<BackwardMark>& marks,
                                               std::int32_t device) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> mark_of(trace.iterations.size(), kNone);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    mark_of[static_cast<std::size_t>(marks[i].iteration)] = i;
  }
  std::vector<std::vector<BusyTime::Stretch>> stretches(marks.size());
  for (const Kernel& kernel : trace.kernels) {
    if (!kernel.in_backward || !kernel.iteration || kernel.device != device) continue;
    const std::size_t i = mark_of[static_cast<std::size_t>(*kernel.iteration)];
    if (i == kNone) continue;
    stretches[i].push_back(
        {std::max(kernel.start, marks[i].start), std::min(kernel.end(), marks[i].end)});
  }
  std::vector<BusyTime> result;
  result.reserve(marks.size());
  for (std::vector<BusyTime::Stretch>& one : stretches) result.emplace_back(std::move(one));
  return result;
}

}  // namespace gradwire
