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

using Intervals = std::vector<const Interval*>;

void add_work(const Interval& interval, Breakdown& result) {
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
void add_idle_beside_network(const Intervals& communications, Seconds from, Seconds until,
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

/// The same where the host thread may be what the device waits for: then it is.
void add_idle(const Intervals& host, const Intervals& communications, Seconds from, Seconds until,
              Breakdown& result) {
  for (const Interval* work : host) {
    const Seconds start = std::max(from, work->start);
    const Seconds end = std::min(until, work->end);
    if (end <= start) continue;
    add_idle_beside_network(communications, from, start, result);
    result.host += end - start;
    from = end;
  }
  add_idle_beside_network(communications, from, until, result);
}

/// Takes off what two streams did at the same time at full rate, as recorded kernels of a
/// compressor do: the device is busy with it once.
void count_once(Seconds excess, Breakdown& result) {
  for (Seconds* part : {&result.encode, &result.decode, &result.compute}) {
    const Seconds taken = std::min(*part, excess);
    *part -= taken;
    excess -= taken;
  }
}

/// Intervals of one rank, each kind by start.
struct RankIntervals {
  Intervals device;
  Intervals host;
  Intervals communications;
  Seconds end{0};

  RankIntervals(const Timeline& timeline, int rank) {
    for (const Interval& interval : timeline.intervals) {
      if (interval.rank != rank) continue;
      of(interval.activity).push_back(&interval);
      end = std::max(end, interval.end);
    }
    GW_CHECK(!device.empty() || !communications.empty(), "the timeline holds no such rank");
  }

 private:
  Intervals& of(Activity activity) {
    if (activity == Activity::kCommunication) return communications;
    return activity == Activity::kHost ? host : device;
  }
};

}  // namespace

Breakdown breakdown_of(const Timeline& timeline, int rank) {
  const RankIntervals intervals(timeline, rank);
  Breakdown result;
  Seconds now{0};
  Seconds busy{0};  // the device works for one stream or for two
  Seconds work{0};
  for (const Interval* interval : intervals.device) {
    if (interval->start > now) {
      add_idle(intervals.host, intervals.communications, now, interval->start, result);
    }
    add_work(*interval, result);
    busy += std::max(Seconds{0}, interval->end - std::max(now, interval->start));
    work += interval->work;
    now = std::max(now, interval->end);
  }
  result.overlap_slowdown = std::max(Seconds{0}, busy - work);
  count_once(std::max(Seconds{0}, work - busy), result);
  if (intervals.end > now) {
    add_idle(intervals.host, intervals.communications, now, intervals.end, result);
  }
  return result;
}

NetworkUse network_use_of(const Timeline& timeline, int rank) {
  NetworkUse use;
  for (const Interval& interval : timeline.intervals) {
    if (interval.rank != rank || interval.activity != Activity::kCommunication) continue;
    use.busy += interval.end - interval.start - interval.waiting;
    use.stalled += interval.stalled;
    ++use.collectives;
  }
  return use;
}

}  // namespace gradwire
