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
  std::vector<BusyTime::Stretch> stretches;
  for (const Kernel& kernel : trace.kernels) {
    if (!kernel.in_backward || kernel.iteration != mark.iteration || kernel.device != device) {
      continue;
    }
    stretches.push_back({std::max(kernel.start, mark.start), std::min(kernel.end(), mark.end)});
  }
  return BusyTime{std::move(stretches)};
}

}  // namespace gradwire
