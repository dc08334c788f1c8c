#include "simulator/questions/gradient_flow.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kNotShown = static_cast<std::size_t>(-1);

/// One rank of a timeline: its intervals by op, and the times of the workload's backward pass in
/// it.
class PlayedRank {
 public:
  PlayedRank(const Plan& plan, const Timeline& timeline, int rank)
      : timeline_(timeline), intervals_(plan.ops.size(), kNotShown) {
    for (std::size_t i = 0; i < timeline.intervals.size(); ++i) {
      const Interval& interval = timeline.intervals[i];
      if (interval.rank == rank) intervals_[static_cast<std::size_t>(interval.op)] = i;
    }
    Seconds done{0};
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      GW_CHECK(intervals_[op] != kNotShown, "a shown rank has every op of its plan");
      if (interval_of(op).activity != Activity::kCompute || plan.ops[op].work <= Seconds{0}) {
        continue;
      }
      stretches_.push_back({done, done + plan.ops[op].work, intervals_[op]});
      done = stretches_.back().until;
    }
  }

  std::size_t index_of(std::size_t op) const { return intervals_[op]; }
  const Interval& interval_of(std::size_t op) const { return timeline_.intervals[intervals_[op]]; }

  /// The end of what the backward pass does by `ready`, a time of the workload. Nothing where there
  /// is no backward work.
  std::optional<FlowStop> made_at(Seconds ready) const {
    if (stretches_.empty()) return std::nullopt;
    auto found = std::find_if(stretches_.begin(), stretches_.end(),
                              [ready](const Stretch& stretch) { return stretch.until >= ready; });
    if (found == stretches_.end()) --found;
    const Interval& interval = timeline_.intervals[found->interval];
    const double part = std::clamp((ready - found->from) / (found->until - found->from), 0.0, 1.0);
    // The end to the bit, so that what follows it is not in front of it.
    const Seconds time =
        part == 1.0 ? interval.end : interval.start + (interval.end - interval.start) * part;
    return FlowStop{FlowStop::Place::kInterval, found->interval, time};
  }

 private:
  /// A compute op that does the backward pass from one time of the workload to another.
  struct Stretch {
    Seconds from{0};
    Seconds until{0};
    std::size_t interval = 0;
  };

  const Timeline& timeline_;
  std::vector<std::size_t> intervals_;
  std::vector<Stretch> stretches_;
};

/// Ops of `plan` that a flow of `bucket` goes through behind the bucket; of all gradients where it
/// is absent.
std::vector<std::size_t> ops_behind(const Plan& plan, std::optional<std::size_t> bucket) {
  std::vector<std::size_t> ops;
  for (std::size_t op = 0; op < plan.ops.size(); ++op) {
    const Op& candidate = plan.ops[op];
    if (candidate.bucket != bucket || candidate.stream == Stream::kHost) continue;
    if (!candidate.collective && candidate.task == DeviceTask::kBackward) continue;
    const bool repeats = !ops.empty() && !candidate.collective &&
                         plan.ops[ops.back()].task == candidate.task &&
                         !plan.ops[ops.back()].collective;
    if (!repeats) {
      ops.push_back(op);
    } else if (candidate.task == DeviceTask::kEncode) {
      ops.back() = op;
    }
  }
  return ops;
}

/// Finds the flows rank by rank.
class Finder {
 public:
  Finder(const Scenario& scenario, const Plan& plan, const Timeline& timeline)
      : workload_(scenario.workload), plan_(plan), timeline_(timeline) {
    const bool bucketed = std::any_of(plan.ops.begin(), plan.ops.end(),
                                      [](const Op& op) { return op.bucket.has_value(); });
    if (bucketed) buckets_ = make_buckets(workload_.gradients, scenario.caps);
  }

  void add_rank(int rank) {
    const PlayedRank played(plan_, timeline_, rank);
    add_gradients(played, rank);
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      add_bucket(played, rank, bucket);
    }
    if (!buckets_.empty()) return;
    const auto made = played.made_at(workload_.backward_span);
    if (made) add_flow(played, {*made}, std::nullopt);
  }

  GradientFlows take() { return std::move(found_); }

 private:
  void add_gradients(const PlayedRank& played, int rank) {
    std::vector<GradientMark> marks;
    for (const ReadyGradient& gradient : workload_.gradients) {
      if (const auto made = played.made_at(gradient.ready)) {
        marks.push_back({rank, made->time, gradient.parameter, gradient.bytes()});
      }
    }
    std::stable_sort(marks.begin(), marks.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    found_.gradients.insert(found_.gradients.end(), marks.begin(), marks.end());
  }

  void add_bucket(const PlayedRank& played, int rank, std::size_t number) {
    const Bucket& bucket = buckets_[number];
    const auto earlier = [this](std::size_t a, std::size_t b) {
      return workload_.gradients[a].ready < workload_.gradients[b].ready;
    };
    const auto [first, last] =
        std::minmax_element(bucket.gradients.begin(), bucket.gradients.end(), earlier);
    const auto begun = played.made_at(workload_.gradients[*first].ready);
    const auto made = played.made_at(workload_.gradients[*last].ready);
    if (!begun || !made) return;
    found_.buckets.push_back({rank, number, begun->time, made->time, bucket.bytes(),
                              bucket.gradients.size(), workload_.gradients[*last].parameter});
    add_flow(played, {*made, {FlowStop::Place::kBucket, found_.buckets.size() - 1, made->time}},
             number);
  }

  void add_flow(const PlayedRank& played, Flow flow, std::optional<std::size_t> bucket) {
    const std::size_t made = flow.size();
    for (const std::size_t op : ops_behind(plan_, bucket)) {
      const Interval& interval = played.interval_of(op);
      flow.push_back({FlowStop::Place::kInterval, played.index_of(op),
                      std::max(interval.start + interval.waiting, flow.back().time)});
    }
    if (flow.size() > made) found_.flows.push_back(std::move(flow));
  }

  const Workload& workload_;
  const Plan& plan_;
  const Timeline& timeline_;
  std::vector<Bucket> buckets_;
  GradientFlows found_;
};

}  // namespace

GradientFlows gradient_flows(const Scenario& scenario, const Plan& plan, const Timeline& timeline) {
  std::set<int> ranks;
  for (const Interval& interval : timeline.intervals) ranks.insert(interval.rank);
  Finder finder(scenario, plan, timeline);
  for (const int rank : ranks) finder.add_rank(rank);
  return finder.take();
}

}  // namespace gradwire
