#include "simulator/engine/timeline_builder.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace gradwire {
namespace {

Activity activity_of(const Op& op) {
  if (op.collective) return Activity::kCommunication;
  if (op.stream == Stream::kHost) return Activity::kHost;
  switch (op.task) {
    case DeviceTask::kEncode:
      return Activity::kEncode;
    case DeviceTask::kDecode:
      return Activity::kDecode;
    case DeviceTask::kBackward:
      break;
  }
  return Activity::kCompute;
}

}  // namespace

Timeline build_timeline(const Plan& plan, const TimelineRequest& request, bool equal_ranks,
                        const std::function<OpTimes(int, std::size_t)>& times) {
  Timeline timeline;
  timeline.workers = plan.workers;
  const int distinct = equal_ranks ? 1 : plan.workers;
  std::vector<double> all_there(plan.ops.size(), 0.0);  // when the last rank reaches the op
  for (int rank = 0; rank < distinct; ++rank) {
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      const OpTimes found = times(rank, op);
      all_there[op] = std::max(all_there[op], found.start);
      if (Seconds{found.end} > timeline.end) {
        timeline.end = Seconds{found.end};
        timeline.last_rank = rank;
      }
    }
  }
  std::vector<int> ranks = request.ranks;
  ranks.push_back(timeline.last_rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (const int rank : ranks) {
    GW_CHECK(rank >= 0 && rank < plan.workers, "only ranks of the plan can be shown");
    for (std::size_t i = 0; i < plan.ops.size(); ++i) {
      const OpTimes op = times(rank, i);
      GW_CHECK(std::isfinite(op.end) && op.end >= op.start, "an op was not played to its end");
      Interval interval{rank,
                        static_cast<int>(i),
                        activity_of(plan.ops[i]),
                        plan.ops[i].label,
                        Seconds{op.start},
                        Seconds{op.end},
                        Seconds{op.work}};
      interval.side_stream =
          plan.ops[i].stream == Stream::kSide || plan.ops[i].stream == Stream::kFree;
      if (const Schedule* collective = plan.ops[i].collective.get()) {
        const CollectiveCall& call = collective->call();
        interval.payload = call.elements * call.element_size;
        interval.sent = collective->sent_by(rank) * call.element_size;
        interval.waiting = Seconds{std::min(all_there[i], op.end) - op.start};
        interval.latency =
            std::min(Seconds{op.latency}, interval.end - interval.start - interval.waiting);
        interval.stalled = Seconds{op.stalled};
      }
      timeline.intervals.push_back(std::move(interval));
    }
  }
  sort_intervals(timeline.intervals);
  return timeline;
}

}  // namespace gradwire
