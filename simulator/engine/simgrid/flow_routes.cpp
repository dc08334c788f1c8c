#include "simulator/engine/simgrid/flow_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "simulator/engine/simgrid/link_events.hpp"
#include "simulator/engine/simgrid/network.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

namespace gradwire {

namespace s4u = simgrid::s4u;

std::vector<PhaseFlow> FlowRoutes::add(const Schedule& schedule, LatencyMode mode) {
  const Bytes size = schedule.call().element_size;
  std::vector<PhaseFlow> flows;
  for (const Phase& phase : schedule.phases()) {
    const PhaseCost cost = phase_cost(phase, size, cluster_, mode);
    // A link that is crossed by edges that take turns carries the bytes of all of them.
    const Bytes bytes{ceil_divide((phase.elements * size).count(), phase.turns)};
    flows.push_back({cost.latency(phase), bytes, route_index(phase)});
  }
  return flows;
}

std::size_t FlowRoutes::add_limited(const Edge& edge, BitsPerSecond rate) {
  Route route;
  for (const int link : table_.links_between(edge.from, edge.to)) ++route[link];
  routes_.push_back(std::move(route));
  limits_[routes_.size() - 1] = rate;
  return routes_.size() - 1;
}

void FlowRoutes::build() {
  // A link's signature: its speed, how often each route crosses it and what happens to it. Equal
  // signatures carry equal loads always.
  std::map<int, std::vector<int>> crossings;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    for (const auto& [link, times] : routes_[i]) {
      crossings.try_emplace(link, routes_.size(), 0).first->second[i] = times;
    }
  }
  using History = std::vector<std::pair<Seconds, double>>;
  std::set<std::tuple<BitsPerSecond, std::vector<int>, History>> seen;
  std::vector<std::vector<s4u::Link*>> links(routes_.size());
  for (const auto& [link, times] : crossings) {
    const bool first = seen.insert({table_.bandwidth(link), times, events_.history(link)}).second;
    if (collapse_ && !first) continue;
    s4u::Link* made =
        world_.add_link(fmt::format("link{}", link), table_.bandwidth(link), Seconds{0});
    events_.add_link(link, made);
    for (std::size_t i = 0; i < routes_.size(); ++i)
      links[i].insert(links[i].end(), static_cast<std::size_t>(times[i]), made);
  }
  add_flow_caps(links);
  for (const auto& [route, rate] : limits_) {
    links[route].push_back(world_.add_link(fmt::format("limit{}", route), rate, Seconds{0}));
  }
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    ends_.push_back({make_host(world_.zone(), fmt::format("from{}", i), 1.0),
                     make_host(world_.zone(), fmt::format("to{}", i), 1.0)});
    world_.add_route(ends_[i].first, ends_[i].second, links[i]);
  }
}

void FlowRoutes::add_flow_caps(std::vector<std::vector<s4u::Link*>>& links) {
  if (!cluster_.flow_cap) return;
  s4u::Link* cap = world_.add_flow_cap("flow_cap", *cluster_.flow_cap);
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const bool leaves_nodes = std::any_of(
        routes_[i].begin(), routes_[i].end(),
        [&](const auto& crossed) { return table_.place(crossed.first).kind == LinkKind::kNic; });
    if (leaves_nodes) links[i].push_back(cap);
  }
}

s4u::CommPtr FlowRoutes::start_flow(std::size_t route, Bytes bytes) const {
  s4u::CommPtr flow = s4u::Comm::sendto_init(ends_[route].first, ends_[route].second)
                          ->set_payload_size(static_cast<std::uint64_t>(bytes.count()));
  events_.start(*flow);
  return flow;
}

std::vector<int> FlowRoutes::links_of(std::size_t route) const {
  std::vector<int> links;
  for (const auto& [link, times] : routes_[route]) links.push_back(link);
  return links;
}

std::size_t FlowRoutes::route_index(const Phase& phase) {
  // The collectives of a plan mostly have the same edges, and comparing them is the cheap part.
  for (const auto& [edges, route] : known_) {
    if (edges == phase.edges) return route;
  }
  known_.emplace_back(phase.edges, index_of(route_of(phase)));
  return known_.back().second;
}

std::size_t FlowRoutes::index_of(Route route) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i] == route && !limits_.contains(i)) return i;
  }
  routes_.push_back(std::move(route));
  return routes_.size() - 1;
}

FlowRoutes::Route FlowRoutes::route_of(const Phase& phase) const {
  Route route;
  for (const Edge edge : phase.edges) {
    for (const int link : table_.links_between(edge.from, edge.to)) ++route[link];
  }
  return route;
}

}  // namespace gradwire
