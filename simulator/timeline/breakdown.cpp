#include <algorithm>
#include <vector>

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

namespace {

/// Attributes one interval of device work.
void add_device_work(const Interval& interval, Breakdown& result) {
  result.overlap_slowdown += std::max(Seconds{0}, interval.end - interval.start - interval.work);
  switch (interval.activity) {
    case Activity::kEncode:
      result.encode += interval.work;
      return;
    case Activity::kDecode:
      result.decode += interval.work;
      return;
    default:
      result.compute += interval.work;
  }
}

/// Attributes the time from `from` to `until`, in which the device is idle, to the communication
/// that runs meanwhile: latency and bytes share it as they share the whole collective. What no
/// collective explains is waiting.
void add_idle(const std::vector<const Interval*>& communications, Seconds from, Seconds until,
              Breakdown& result) {
  for (const Interval* communication : communications) {
    const Seconds begun = communication->start + communication->waiting;
    const Seconds start = std::max(from, begun);
    const Seconds end = std::min(until, communication->end);
    if (end <= start) continue;
    result.waiting += start - from;
    const Seconds length = communication->end - begun;
    const double latency_share = length.count() > 0.0 ? communication->latency / length : 0.0;
    result.exposed_latency += (end - start) * latency_share;
    result.exposed_bandwidth += (end - start) * (1.0 - latency_share);
    from = end;
  }
  result.waiting += std::max(Seconds{0}, until - from);
}

}  // namespace

Breakdown breakdown_of(const Timeline& timeline, int rank) {
  std::vector<const Interval*> device;
  std::vector<const Interval*> communications;
  Seconds end{0};
  for (const Interval& interval : timeline.intervals) {
    if (interval.rank != rank) continue;
    (interval.activity == Activity::kCommunication ? communications : device).push_back(&interval);
    end = std::max(end, interval.end);
  }
  GW_CHECK(!device.empty() || !communications.empty(), "the timeline holds no such rank");
  Breakdown result;
  Seconds now{0};
  for (const Interval* interval : device) {
    if (interval->start > now) add_idle(communications, now, interval->start, result);
    add_device_work(*interval, result);
    now = std::max(now, interval->end);
  }
  if (end > now) add_idle(communications, now, end, result);
  return result;
}

NetworkUse network_use_of(const Timeline& timeline, int rank) {
  NetworkUse use;
  for (const Interval& interval : timeline.intervals) {
    if (interval.rank != rank || interval.activity != Activity::kCommunication) continue;
    use.busy += interval.end - interval.start - interval.waiting;
    ++use.collectives;
  }
  return use;
}

}  // namespace gradwire
