#include "simulator/engine/recurrence/recurrence_engine.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "simulator/engine/recurrence/collective_recurrence.hpp"
#include "simulator/engine/recurrence/equal_ranks.hpp"
#include "simulator/engine/timeline_builder.hpp"

namespace gradwire {
namespace {

/// One rank's progress through the plan.
struct RankState {
  double compute_free = 0.0;
  double communication_free = 0.0;
  std::vector<OpTimes> ops;
  std::size_t next_disturbance = 0;  // first communication op that may still overlap later compute
};

/// Plays compute and communication rank by rank, in the order of the plan.
class RankByRank {
 public:
  /// Throws InputError for a plan with other streams.
  RankByRank(const Plan& plan, CollectiveRecurrence& collectives)
      : plan_(plan), collectives_(collectives), states_(static_cast<std::size_t>(plan.workers)) {
    if (has_overlapped_work(plan)) {
      throw InputError(
          "compute factors: ranks of unequal speed found with compression that is overlapped or "
          "replayed kernel by kernel, which the recurrence does not model; serial compression by "
          "encode and decode times is accepted");
    }
    for (RankState& state : states_) state.ops.resize(plan.ops.size());
  }

  void play() {
    for (std::size_t op = 0; op < plan_.ops.size(); ++op) {
      if (plan_.ops[op].collective) {
        play_collective(op);
      } else {
        for (std::size_t rank = 0; rank < states_.size(); ++rank) play_compute(op, rank);
      }
    }
  }

  const OpTimes& times(int rank, std::size_t op) const {
    return states_[static_cast<std::size_t>(rank)].ops[op];
  }

 private:
  double earliest(const RankState& state, std::size_t op) const {
    double time = plan_.ops[op].collective ? state.communication_free : state.compute_free;
    for (const int before : plan_.ops[op].after) {
      time = std::max(time, state.ops[static_cast<std::size_t>(before)].end);
    }
    return time;
  }

  /// Work runs at full rate, or at 1/overlap_slowdown while this rank communicates. The
  /// communication ops in front of `op` are all played: a later one cannot start before `op` ends.
  void play_compute(std::size_t op, std::size_t rank) {
    RankState& state = states_[rank];
    const double factor = plan_.overlap_slowdown;
    double left = plan_.ops[op].work.count() * plan_.compute_factor(static_cast<int>(rank));
    OpTimes& result = state.ops[op];
    result.work = left;
    result.start = earliest(state, op);
    double now = result.start;
    for (std::size_t other = state.next_disturbance; other < op; ++other) {
      if (!plan_.ops[other].collective) continue;
      const OpTimes& busy = state.ops[other];
      if (busy.end <= now) {
        state.next_disturbance = other + 1;
        continue;
      }
      const double undisturbed = std::max(0.0, busy.start - now);
      if (left <= undisturbed) break;
      left -= undisturbed;
      now += undisturbed;
      const double room = busy.end - now;  // disturbed until the collective ends
      if (left * factor <= room) {
        now += left * factor;
        left = 0.0;
        break;
      }
      left -= room / factor;
      now = busy.end;
    }
    result.end = now + left;
    state.compute_free = result.end;
  }

  void play_collective(std::size_t op) {
    starts_.clear();
    for (const RankState& state : states_) starts_.push_back(earliest(state, op));
    ends_ = starts_;
    const Schedule& schedule = *plan_.ops[op].collective;
    const Seconds latency = collectives_.play(schedule, ends_, op);
    for (std::size_t rank = 0; rank < states_.size(); ++rank) {
      OpTimes& times = states_[rank].ops[op];
      times.start = starts_[rank];
      times.end = ends_[rank];
      times.latency = latency.count();
      states_[rank].communication_free = times.end;
    }
  }

  const Plan& plan_;
  CollectiveRecurrence& collectives_;
  std::vector<RankState> states_;
  std::vector<double> starts_;
  std::vector<double> ends_;
};

/// Overlapped work is played for equal ranks alone, even on links of several speeds.
bool plays_ranks_as_one(const Plan& plan, const CollectiveRecurrence& collectives) {
  return plan.compute_factors.empty() &&
         (collectives.ranks_stay_equal() || has_overlapped_work(plan));
}

/// Throws InputError for what happens on the links while the plan runs.
CollectiveRecurrence collectives_of(const Plan& plan, const Cluster& cluster) {
  if (!plan.link_events.empty() || !plan.background.empty()) {
    throw InputError(
        "link events or background traffic: found, which the recurrence does not play; only "
        "--engine simgrid does");
  }
  return {cluster, plan.latency_mode, plan.workers, plan.latency_jitter};
}

Timeline timeline_rank_by_rank(const Plan& plan, CollectiveRecurrence& collectives,
                               const TimelineRequest& request) {
  RankByRank player(plan, collectives);
  player.play();
  return build_timeline(plan, request, false,
                        [&](int rank, std::size_t op) { return player.times(rank, op); });
}

Seconds end_of_equal_ranks(const Plan& plan, CollectiveRecurrence& collectives) {
  EqualRanks player(plan, collectives);
  player.play();
  return Seconds{player.end()};
}

}  // namespace

Timeline play_recurrence(const Plan& plan, const Cluster& cluster, const TimelineRequest& request) {
  CollectiveRecurrence collectives = collectives_of(plan, cluster);
  if (!plays_ranks_as_one(plan, collectives)) {
    return timeline_rank_by_rank(plan, collectives, request);
  }
  EqualRanks player(plan, collectives);
  player.play();
  return build_timeline(plan, request, true, [&](int, std::size_t op) { return player.times(op); });
}

Timeline play_recurrence_rank_by_rank(const Plan& plan, const Cluster& cluster,
                                      const TimelineRequest& request) {
  CollectiveRecurrence collectives = collectives_of(plan, cluster);
  return timeline_rank_by_rank(plan, collectives, request);
}

Seconds recurrence_end(const Plan& plan, const Cluster& cluster) {
  CollectiveRecurrence collectives = collectives_of(plan, cluster);
  if (plays_ranks_as_one(plan, collectives)) return end_of_equal_ranks(plan, collectives);
  RankByRank player(plan, collectives);
  player.play();
  double end = 0.0;
  for (int rank = 0; rank < plan.workers; ++rank) {
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      end = std::max(end, player.times(rank, op).end);
    }
  }
  return Seconds{end};
}

Seconds quick_recurrence_end(const Plan& plan, const Cluster& cluster) {
  if (!plan.compute_factors.empty()) return recurrence_end(plan, cluster);
  CollectiveRecurrence collectives = collectives_of(plan, cluster);
  return end_of_equal_ranks(plan, collectives);
}

}  // namespace gradwire
