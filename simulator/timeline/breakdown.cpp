#include <algorithm>

#include "base/errors.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

void sort_intervals(std::vector<Interval>& intervals) {
  std::stable_sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.start != b.start) return a.start < b.start;
    return a.op < b.op;
  });
}

Breakdown breakdown_of(const Timeline& timeline, int rank) {
  Breakdown result;
  Seconds computed{0};
  bool found = false;
  for (const Interval& interval : timeline.intervals) {
    if (interval.rank != rank) continue;
    found = true;
    if (interval.activity != Activity::kCompute) continue;
    result.compute += interval.work;
    result.overlap_slowdown += interval.end - interval.start - interval.work;
    computed = std::max(computed, interval.end);
  }
  GW_CHECK(found, "the timeline holds no such rank");
  result.waiting = computed - result.compute - result.overlap_slowdown;  // idle between compute ops

  // Behind the last compute a rank waits for its collectives; latency and bytes share what is
  // exposed of one as they share the whole of it.
  Seconds seen = computed;
  for (const Interval& interval : timeline.intervals) {
    if (interval.rank != rank || interval.activity != Activity::kCommunication) continue;
    const Seconds begun = interval.start + interval.waiting;
    if (interval.end <= seen) continue;
    result.waiting += std::max(Seconds{0}, std::min(begun, interval.end) - seen);
    const Seconds exposed = interval.end - std::max(seen, begun);
    const Seconds length = interval.end - begun;
    const double latency_share = length.count() > 0.0 ? interval.latency / length : 0.0;
    result.exposed_latency += exposed * latency_share;
    result.exposed_bandwidth += exposed * (1.0 - latency_share);
    seen = interval.end;
  }
  return result;
}

}  // namespace gradwire
