#include "simulator/timeline/critical_path.hpp"

#include <algorithm>
#include <array>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr int kNone = -1;

class PathWalk {
 public:
  PathWalk(const Plan& plan, const Timeline& timeline) : plan_(plan) {
    std::array<int, kStreams> last{};
    last.fill(kNone);
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      int& of_stream = last[static_cast<std::size_t>(plan.ops[op].stream)];
      in_front_.push_back(of_stream);
      of_stream = static_cast<int>(op);
    }
    by_rank_.resize(static_cast<std::size_t>(timeline.workers));
    for (const Interval& interval : timeline.intervals) {
      auto& of_rank = by_rank_.at(static_cast<std::size_t>(interval.rank));
      of_rank.resize(plan.ops.size(), nullptr);
      of_rank.at(static_cast<std::size_t>(interval.op)) = &interval;
    }
  }

  CriticalPath back_from(int rank) {
    CriticalPath path;
    const Interval* now = last_of(rank);
    Seconds end = now->end;
    while (now != nullptr) {
      PathSegment segment = segment_of(*now);
      const Interval* begun_by = now;
      if (now->activity == Activity::kCommunication) {
        begun_by = last_to_arrive(*now);
        if (begun_by->rank != now->rank) segment.last_to_arrive = begun_by->rank;
      }
      const Interval* front = follow(*begun_by, segment);
      segment.start = front == nullptr ? Seconds{0} : std::min(front->end, end);
      segment.end = end;
      end = segment.start;
      if (segment.end > segment.start) path.segments.push_back(std::move(segment));
      now = front;
    }
    std::reverse(path.segments.begin(), path.segments.end());
    return path;
  }

 private:
  const Interval* interval(int rank, int op) const {
    const auto& of_rank = by_rank_[static_cast<std::size_t>(rank)];
    GW_CHECK(!of_rank.empty() && of_rank[static_cast<std::size_t>(op)] != nullptr,
             "the timeline holds every op of a rank");
    return of_rank[static_cast<std::size_t>(op)];
  }

  const Interval* last_of(int rank) const {
    const Interval* last = interval(rank, 0);
    for (int op = 1; op < static_cast<int>(plan_.ops.size()); ++op) {
      const Interval* candidate = interval(rank, op);
      if (candidate->end >= last->end) last = candidate;
    }
    return last;
  }

  PathSegment segment_of(const Interval& interval) const {
    PathSegment segment;
    segment.rank = interval.rank;
    segment.op = interval.op;
    segment.activity = interval.activity;
    segment.stream = plan_.ops[static_cast<std::size_t>(interval.op)].stream;
    segment.label = interval.label;
    segment.work = interval.work;
    segment.latency = interval.latency;
    return segment;
  }

  /// The same op on the rank that reached it last before `collective` ended; its own rank and then
  /// the smallest where several did.
  const Interval* last_to_arrive(const Interval& collective) const {
    const Interval* last = &collective;
    for (const auto& of_rank : by_rank_) {
      if (of_rank.empty()) continue;
      const Interval* candidate = of_rank[static_cast<std::size_t>(collective.op)];
      if (candidate->start > last->start && candidate->start <= collective.end) last = candidate;
    }
    return last;
  }

  /// The op that `now` began behind; null when it began at once.
  const Interval* follow(const Interval& now, PathSegment& segment) const {
    const Interval* front = nullptr;
    const auto offer = [&](int op, Cause cause) {
      const Interval* candidate = interval(now.rank, op);
      if (front != nullptr && candidate->end <= front->end) return;
      front = candidate;
      segment.cause = cause;
    };
    for (const int op : plan_.ops[static_cast<std::size_t>(now.op)].after) {
      offer(op, Cause::kDependency);
    }
    const int on_stream = in_front_[static_cast<std::size_t>(now.op)];
    if (on_stream != kNone) offer(on_stream, Cause::kStreamOrder);
    if (front != nullptr) {
      segment.behind = front->label;
      segment.behind_activity = front->activity;
    }
    return front;
  }

  const Plan& plan_;
  std::vector<int> in_front_;  // of each op: the one in front of it on its stream
  std::vector<std::vector<const Interval*>> by_rank_;  // by rank and op; empty for ranks not held
};

}  // namespace

CriticalPath critical_path_of(const Plan& plan, const Timeline& timeline) {
  GW_CHECK(!plan.ops.empty(), "a plan has ops");
  return PathWalk(plan, timeline).back_from(timeline.last_rank);
}

Breakdown breakdown_of(const CriticalPath& path) {
  Breakdown parts;
  for (const PathSegment& segment : path.segments) {
    const Seconds length = segment.end - segment.start;
    const Seconds work = std::min(segment.work, length);
    switch (segment.activity) {
      case Activity::kCommunication: {
        const Seconds latency = std::min(segment.latency, length);
        parts.exposed_latency += latency;
        parts.exposed_bandwidth += length - latency;
        continue;
      }
      case Activity::kHost:
        parts.host += length;
        continue;
      case Activity::kEncode:
        parts.encode += work;
        break;
      case Activity::kDecode:
        parts.decode += work;
        break;
      case Activity::kCompute:
        parts.compute += work;
        break;
    }
    parts.overlap_slowdown += length - work;
  }
  return parts;
}

}  // namespace gradwire
