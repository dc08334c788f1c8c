#include "simulator/engine/simgrid/coupled_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/round_latencies.hpp"
#include "simulator/engine/simgrid/background_player.hpp"
#include "simulator/engine/simgrid/clock.hpp"
#include "simulator/engine/simgrid/device_timers.hpp"
#include "simulator/engine/simgrid/flow_routes.hpp"
#include "simulator/engine/simgrid/flow_slot.hpp"
#include "simulator/engine/simgrid/foreign_job_player.hpp"
#include "simulator/engine/simgrid/link_events.hpp"
#include "simulator/engine/simgrid/network.hpp"
#include "simulator/engine/simgrid/plan_player.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"
#include "simulator/engine/token_buckets.hpp"

namespace gradwire {
namespace {

namespace s4u = simgrid::s4u;

/// Ranks with equal compute factors behave alike, because a coupled collective ends for all at
/// once.
struct RankClasses {
  std::vector<double> factors;  // one a class
  std::vector<std::size_t> of_rank;

  explicit RankClasses(const Plan& plan) {
    std::map<double, std::size_t> known;
    for (int rank = 0; rank < plan.workers; ++rank) {
      const double factor = plan.compute_factor(rank);
      const auto [place, added] = known.emplace(factor, factors.size());
      if (added) factors.push_back(factor);
      of_rank.push_back(place->second);
    }
  }
};

class CoupledPlayer : public PlanPlayer {
 public:
  CoupledPlayer(const Plan& plan, const Cluster& cluster, const RankClasses& classes, bool collapse)
      : PlanPlayer(plan, classes.factors),
        cluster_(cluster),
        events_(plan.link_events),
        routes_(world_, cluster, events_, collapse),
        flows_(plan.ops.size()) {
    if (cluster.shaper) shape();
    for (std::size_t player = 0; player < players(); ++player) {
      devices_.emplace_back(plan, [this, player](Stream stream) { work_ended(player, stream); });
    }
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      if (!plan.ops[op].collective) continue;
      flows_[op] = routes_.add(*plan.ops[op].collective, plan.latency_mode);
      if (plan.latency_jitter) add_jitter(op);
    }
    const auto goes_on = [this] { return !finished() && failure_.empty(); };
    if (plan.second_job) {
      foreign_job_.emplace(routes_, *plan.second_job, plan.latency_mode, goes_on);
    }
    for (const BackgroundFlow& flow : plan.background) {
      background_.emplace_back(routes_, flow, cluster, goes_on);
    }
    routes_.build();
    on_activity_end([this](const s4u::Activity& activity) {
      if (flow_.ended_with(activity)) return flow_ended();
      if (foreign_job_) foreign_job_->activity_ended(activity);
      for (BackgroundPlayer& flow : background_) flow.activity_ended(activity);
    });
  }

  /// Throws IncompleteError when a link that the plan needs is lost, or when an op did not end.
  void run() {
    world_.seal();
    events_.begin([this] {
      if (flow_.is_busy()) stop_where_lost();
    });
    if (foreign_job_) foreign_job_->begin();
    for (BackgroundPlayer& flow : background_) flow.begin();
    begin();
    world_.run();
    if (!failure_.empty()) throw IncompleteError(failure_);
    require_finished();
  }

 private:
  double now() const override { return s4u::Engine::get_clock(); }

  void start_work(std::size_t player, Stream stream, double seconds) override {
    devices_[player].start(stream, seconds);
  }

  void set_disturbed(std::size_t player, bool disturbed) override {
    devices_[player].set_disturbed(disturbed);
  }

  /// One communication stream: the collectives come one after the other, so one set of arrivals is
  /// enough.
  void enter_communication(std::size_t, std::size_t op) override {
    if (++arrived_ < players()) return;
    arrived_ = 0;
    op_ = op;
    phase_ = 0;
    stalled_ = 0.0;
    start_phase();
  }

  void start_phase() {
    if (phase_ == flows_[op_].size()) return end_collective();
    if (buckets_) return play_shaped();
    const PhaseFlow& phase = flows_[op_][phase_];
    after(phase.latency.count(), [this, phase] {
      if (phase.bytes.count() == 0) return phase_ended();
      begun_ = now();
      if (stop_where_lost()) return;
      flow_.start(routes_, phase.route, phase.bytes);
    });
  }

  void flow_ended() {
    stalled_ += events_.down_within(routes_.links_of(flows_[op_][phase_].route), begun_, now());
    phase_ended();
  }

  void phase_ended() {
    ++phase_;
    start_phase();
  }

  /// Where no two messages share a link the token buckets know when a phase ends, by the arithmetic
  /// that the recurrence has too.
  void shape() {
    for (const Op& op : plan().ops) {
      if (!op.collective || !shares_links(*op.collective, cluster_)) continue;
      throw InputError(fmt::format(
          "shaper: cluster \"{}\" has one, and messages of {} share links, where its token buckets "
          "are not modelled; one or the other is accepted",
          cluster_.name, op.label));
    }
    buckets_.emplace(cluster_);
  }

  void play_shaped() {
    const Schedule& schedule = *plan().ops[op_].collective;
    const std::vector<Phase> phases = schedule.phases();
    std::size_t first = 0;
    for (std::size_t i = 0; i < phase_; ++i) first += static_cast<std::size_t>(phases[i].rounds);
    const std::vector<Seconds> latencies = round_latencies(plan(), op_, cluster_).rounds;
    const double end = buckets_->play_phase(
        phases[phase_], schedule.call().element_size,
        std::span(latencies).subspan(first, static_cast<std::size_t>(phases[phase_].rounds)),
        now());
    after(end - now(), [this] { phase_ended(); });
  }

  void add_jitter(std::size_t op) {
    const std::vector<Seconds> latencies = phase_latencies(plan(), op, cluster_);
    for (std::size_t i = 0; i < latencies.size(); ++i) flows_[op][i].latency = latencies[i];
  }

  /// Whether the phase that begins or runs needs a link that is down for good; then says so.
  bool stop_where_lost() {
    const PhaseFlow& phase = flows_[op_][phase_];
    const CapacityChange* lost = events_.lost(routes_.links_of(phase.route));
    if (lost == nullptr || !failure_.empty()) return lost != nullptr;
    const double left =
        flow_.is_busy() ? flow_.remaining() : static_cast<double>(phase.bytes.count());
    const Schedule& schedule = *plan().ops[op_].collective;
    failure_ = fmt::format(
        "{} fails at {} and does not recover: {}, {} of {} among {} ranks, all of which had "
        "reached it, stops at {} with {} of {} a link done (phase {} of {})",
        LinkTable(cluster_).name(lost->link), format_duration(lost->at), plan().ops[op_].label,
        name_of(schedule.call().kind),
        format_bytes(schedule.call().elements * schedule.call().element_size), schedule.ranks(),
        format_duration(Seconds{now()}),
        format_bytes(phase.bytes - Bytes{static_cast<std::int64_t>(left)}),
        format_bytes(phase.bytes), phase_ + 1, flows_[op_].size());
    return true;
  }

  void end_collective() {
    double latency = 0.0;
    for (const PhaseFlow& phase : flows_[op_]) latency += phase.latency.count();
    for (std::size_t player = 0; player < players(); ++player) {
      communication_ended(player, latency, stalled_);
    }
  }

  const Cluster& cluster_;
  SimgridWorld world_;
  LinkEvents events_;
  FlowRoutes routes_;
  std::vector<std::vector<PhaseFlow>> flows_;  // by op
  std::size_t arrived_ = 0;
  std::size_t op_ = 0;
  std::size_t phase_ = 0;
  FlowSlot flow_;
  std::deque<DeviceTimers> devices_;  // by player
  std::optional<ForeignJobPlayer> foreign_job_;
  std::deque<BackgroundPlayer> background_;
  std::optional<TokenBuckets> buckets_;  // of a shaped cluster
  double begun_ = 0.0;                   // the flow
  double stalled_ = 0.0;                 // of the collective
  std::string failure_;                  // why it cannot go on; empty while it can
};

}  // namespace

Timeline play_coupled(const Plan& plan, const Cluster& cluster, const TimelineRequest& request,
                      bool collapse) {
  const RankClasses classes(plan);
  CoupledPlayer player(plan, cluster, classes, collapse);
  player.run();
  return build_timeline(plan, request, classes.factors.size() == 1, [&](int rank, std::size_t op) {
    return player.times(classes.of_rank[static_cast<std::size_t>(rank)], op);
  });
}

}  // namespace gradwire
