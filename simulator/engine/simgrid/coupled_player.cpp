#include "simulator/engine/simgrid/coupled_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "platforms/model/link_table.hpp"
#include "simulator/engine/simgrid/clock.hpp"
#include "simulator/engine/simgrid/network.hpp"
#include "simulator/engine/simgrid/plan_player.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

namespace gradwire {
namespace {

namespace s4u = simgrid::s4u;

/// Links crossed by a phase, with how often.
using Route = std::map<int, int>;

/// Ranks with equal compute factors behave alike, because a coupled collective ends for all at
/// once.
struct RankClasses {
  std::vector<double> factors;  // one a class
  std::vector<std::size_t> of_rank;

  explicit RankClasses(const Plan& plan) {
    for (int rank = 0; rank < plan.workers; ++rank) {
      const double factor = plan.compute_factor(rank);
      const auto found = std::find(factors.begin(), factors.end(), factor);
      of_rank.push_back(static_cast<std::size_t>(found - factors.begin()));
      if (found == factors.end()) factors.push_back(factor);
    }
  }
};

/// The virtual host pairs, one for each distinct route, and the links that the routes need.
class FlowRoutes {
 public:
  FlowRoutes(SimgridWorld& world, const Cluster& cluster, bool collapse)
      : world_(world), table_(cluster), collapse_(collapse) {}

  /// The index of the phase's route.
  std::size_t add(const Phase& phase) {
    // The collectives of a plan mostly have the same edges, and comparing them is the cheap part.
    for (const auto& [edges, route] : known_) {
      if (edges == phase.edges) return route;
    }
    known_.emplace_back(phase.edges, index_of(route_of(phase)));
    return known_.back().second;
  }

  /// Makes hosts, links and routes; call once all routes are added.
  void build() {
    // A link's signature: its speed and how often each route crosses it. Equal signatures carry
    // equal loads always.
    std::map<int, std::vector<int>> crossings;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      for (const auto& [link, times] : routes_[i]) {
        crossings.try_emplace(link, routes_.size(), 0).first->second[i] = times;
      }
    }
    std::map<std::pair<BitsPerSecond, std::vector<int>>, bool> seen;
    std::vector<std::vector<s4u::Link*>> links(routes_.size());
    for (const auto& [link, times] : crossings) {
      const bool first = seen.try_emplace({table_.bandwidth(link), times}, true).second;
      if (collapse_ && !first) continue;
      s4u::Link* made =
          world_.add_link(fmt::format("link{}", link), table_.bandwidth(link), Seconds{0});
      for (std::size_t i = 0; i < routes_.size(); ++i)
        links[i].insert(links[i].end(), static_cast<std::size_t>(times[i]), made);
    }
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      ends_.push_back({make_host(world_.zone(), fmt::format("from{}", i), 1.0),
                       make_host(world_.zone(), fmt::format("to{}", i), 1.0)});
      world_.add_route(ends_[i].first, ends_[i].second, links[i]);
    }
  }

  s4u::CommPtr make_flow(std::size_t route, Bytes bytes) const {
    return s4u::Comm::sendto_init(ends_[route].first, ends_[route].second)
        ->set_payload_size(static_cast<std::uint64_t>(bytes.count()));
  }

 private:
  Route route_of(const Phase& phase) const {
    Route route;
    for (const Edge edge : phase.edges) {
      for (const int link : table_.links_between(edge.from, edge.to)) ++route[link];
    }
    return route;
  }

  std::size_t index_of(Route route) {
    const auto found = std::find(routes_.begin(), routes_.end(), route);
    if (found != routes_.end()) return static_cast<std::size_t>(found - routes_.begin());
    routes_.push_back(std::move(route));
    return routes_.size() - 1;
  }

  SimgridWorld& world_;
  LinkTable table_;
  bool collapse_;
  std::vector<Route> routes_;
  std::vector<std::pair<std::vector<Edge>, std::size_t>> known_;  // edges and their route
  std::vector<std::pair<s4u::Host*, s4u::Host*>> ends_;
};

/// A phase ready to be played: its latency first, then its bytes.
struct PhaseFlow {
  Seconds latency{0};
  Bytes bytes{0};  // on an edge that is crossed once
  std::size_t route = 0;
};

class CoupledPlayer : public PlanPlayer {
 public:
  CoupledPlayer(const Plan& plan, const Cluster& cluster, const RankClasses& classes, bool collapse)
      : PlanPlayer(plan, classes.factors),
        routes_(world_, cluster, collapse),
        flows_(plan.ops.size()),
        devices_(players()) {
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      if (!plan.ops[op].collective) continue;
      const Bytes size = plan.ops[op].collective->call().element_size;
      for (const Phase& phase : plan.ops[op].collective->phases()) {
        const PhaseCost cost = phase_cost(phase, size, cluster, plan.latency_mode);
        flows_[op].push_back({cost.latency(phase), phase.elements * size, routes_.add(phase)});
      }
    }
    routes_.build();
    on_activity_end([this](const s4u::Activity& activity) {
      if (flow_ != nullptr && &activity == flow_.get()) flow_ended();
    });
  }

  void run() {
    world_.seal();
    begin();
    world_.run();
  }

 private:
  struct Device {
    double left = 0.0;   // work, in undisturbed seconds
    double since = 0.0;  // when `left` was true
    bool running = false;
    bool disturbed = false;
    TimerHandle timer;
  };

  double now() const override { return s4u::Engine::get_clock(); }
  double slowdown(const Device& device) const {
    return device.disturbed ? plan().overlap_slowdown : 1.0;
  }

  void start_compute(std::size_t player, double seconds) override {
    Device& device = devices_[player];
    device.left = seconds;
    device.since = now();
    device.running = true;
    arm(player);
  }

  void set_disturbed(std::size_t player, bool disturbed) override {
    Device& device = devices_[player];
    if (device.running) {
      device.left = std::max(0.0, device.left - (now() - device.since) / slowdown(device));
      device.since = now();
      cancel(device.timer);
    }
    device.disturbed = disturbed;
    if (device.running) arm(player);
  }

  void arm(std::size_t player) {
    Device& device = devices_[player];
    device.timer = after(device.left * slowdown(device), [this, player] {
      devices_[player].timer = {};
      devices_[player].running = false;
      compute_ended(player);
    });
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
  std::vector<Device> devices_;
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
