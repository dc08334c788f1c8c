#pragma once

#include <map>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "platforms/model/link_table.hpp"
#include "simulator/collectives/latency_mode.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

class LinkEvents;
class SimgridWorld;

/// A phase ready to be played as one flow: its latency first, then its bytes.
struct PhaseFlow {
  Seconds latency{0};
  Bytes bytes{0};  ///< on an edge that is crossed once
  std::size_t route = 0;
};

/// The routes of coupled flows: each over all links that a phase crosses, as often as it crosses
/// them, between two virtual hosts of its own; and the links that the routes need.
class FlowRoutes {
 public:
  /// With `collapse` identical links (same speed, crossed alike by every route, of equal events)
  /// are played by one of them.
  FlowRoutes(SimgridWorld& world, const Cluster& cluster, LinkEvents& events, bool collapse)
      : world_(world), cluster_(cluster), events_(events), table_(cluster), collapse_(collapse) {}

  /// The phases of `schedule` in order; adds their routes.
  std::vector<PhaseFlow> add(const Schedule& schedule, LatencyMode mode);

  /// A route of its own from rank to rank, for flows of at most `rate`.
  std::size_t add_limited(const Edge& edge, BitsPerSecond rate);

  /// Makes hosts, links and routes; call once all are added.
  void build();

  /// A flow of `bytes` on `route`, started.
  simgrid::s4u::CommPtr start_flow(std::size_t route, Bytes bytes) const;

  /// The links that `route` crosses, of the cluster's LinkTable.
  std::vector<int> links_of(std::size_t route) const;

 private:
  /// Links crossed by a phase, with how often.
  using Route = std::map<int, int>;

  /// Every message of a phase goes at the flow's rate, so the cap of one is that of the flow.
  void add_flow_caps(std::vector<std::vector<simgrid::s4u::Link*>>& links);
  std::size_t route_index(const Phase& phase);
  std::size_t index_of(Route route);
  Route route_of(const Phase& phase) const;

  SimgridWorld& world_;
  const Cluster& cluster_;
  LinkEvents& events_;
  LinkTable table_;
  bool collapse_;
  std::vector<Route> routes_;
  std::map<std::size_t, BitsPerSecond> limits_;                   // of routes that have one
  std::vector<std::pair<std::vector<Edge>, std::size_t>> known_;  // edges and their route
  std::vector<std::pair<simgrid::s4u::Host*, simgrid::s4u::Host*>> ends_;
};

}  // namespace gradwire
