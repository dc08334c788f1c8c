#include "simulator/engine/simgrid/coupled_player.hpp"

#include <deque>
#include <map>
#include <optional>

#include "simulator/engine/simgrid/clock.hpp"
#include "simulator/engine/simgrid/device_timers.hpp"
#include "simulator/engine/simgrid/flow_routes.hpp"
#include "simulator/engine/simgrid/foreign_job_player.hpp"
#include "simulator/engine/simgrid/network.hpp"
#include "simulator/engine/simgrid/plan_player.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

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
        routes_(world_, cluster, collapse),
        flows_(plan.ops.size()) {
    for (std::size_t player = 0; player < players(); ++player) {
      devices_.emplace_back(plan, [this, player](Stream stream) { work_ended(player, stream); });
    }
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      if (!plan.ops[op].collective) continue;
      flows_[op] = routes_.add(*plan.ops[op].collective, plan.latency_mode);
    }
    if (plan.second_job) {
      foreign_job_.emplace(routes_, *plan.second_job, plan.latency_mode,
                           [this] { return !finished(); });
    }
    routes_.build();
    on_activity_end([this](const s4u::Activity& activity) {
      if (flow_ != nullptr && &activity == flow_.get()) return flow_ended();
      if (foreign_job_) foreign_job_->activity_ended(activity);
    });
  }

  void run() {
    world_.seal();
    if (foreign_job_) foreign_job_->begin();
    begin();
    world_.run();
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
    start_phase();
  }

  void start_phase() {
    if (phase_ == flows_[op_].size()) return end_collective();
    const PhaseFlow& phase = flows_[op_][phase_];
    after(phase.latency.count(), [this, phase] {
      if (phase.bytes.count() == 0) return flow_ended();
      flow_ = routes_.make_flow(phase.route, phase.bytes);
      start_when_ready(*flow_);
    });
  }

  void flow_ended() {
    if (flow_)
      ended_flows_ = std::move(flow_);  // kept until the next one ends: SimGrid still looks at it
    ++phase_;
    start_phase();
  }

  void end_collective() {
    double latency = 0.0;
    for (const PhaseFlow& phase : flows_[op_]) latency += phase.latency.count();
    for (std::size_t player = 0; player < players(); ++player) {
      communication_ended(player, latency);
    }
  }

  SimgridWorld world_;
  FlowRoutes routes_;
  std::vector<std::vector<PhaseFlow>> flows_;  // by op
  std::size_t arrived_ = 0;
  std::size_t op_ = 0;
  std::size_t phase_ = 0;
  s4u::CommPtr flow_;
  s4u::CommPtr ended_flows_;
  std::deque<DeviceTimers> devices_;  // by player
  std::optional<ForeignJobPlayer> foreign_job_;
};

}  // namespace

Timeline play_coupled(const Plan& plan, const Cluster& cluster, const TimelineRequest& request,
                      bool collapse) {
  const RankClasses classes(plan);
  CoupledPlayer player(plan, cluster, classes, collapse);
  player.run();
  player.require_finished();
  return build_timeline(plan, request, classes.factors.size() == 1, [&](int rank, std::size_t op) {
    return player.times(classes.of_rank[static_cast<std::size_t>(rank)], op);
  });
}

}  // namespace gradwire
