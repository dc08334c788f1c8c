#pragma once

#include <functional>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace gradwire {

// What SimGrid renamed between 3.32 (Debian 12), 3.35 (Ubuntu 24.04) and 4.0 (Debian 13), under one
// name each. Templates, so that the call a version lacks is never compiled.

/// The routing zone in which everything of an engine lies; every route in it is explicit.
template <typename Engine, typename Name>
simgrid::s4u::NetZone& make_zone(Engine& engine, const Name& name) {
  if constexpr (requires { engine.get_netzone_root()->add_netzone_full(name); }) {
    return *engine.get_netzone_root()->add_netzone_full(name);
  } else {
    return *simgrid::s4u::create_full_zone(name);
  }
}

/// speed: flops a second, or one for each state of the host.
template <typename Zone, typename Speed>
simgrid::s4u::Host* make_host(Zone& zone, const std::string& name, const Speed& speed) {
  if constexpr (requires { zone.add_host(name, speed); }) {
    return zone.add_host(name, speed);
  } else {
    return zone.create_host(name, speed);
  }
}

template <typename Zone>
simgrid::s4u::Link* make_link(Zone& zone, const std::string& name, double bytes_per_second) {
  if constexpr (requires { zone.add_link(name, bytes_per_second); }) {
    return zone.add_link(name, bytes_per_second);
  } else {
    return zone.create_link(name, bytes_per_second);
  }
}

/// One way only.
template <typename Zone>
void make_route(Zone& zone, simgrid::s4u::Host* from, simgrid::s4u::Host* to,
                const std::vector<simgrid::s4u::LinkInRoute>& links) {
  if constexpr (requires { zone.add_route(from, to, links, false); }) {
    zone.add_route(from, to, links, false);
  } else {
    zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links, false);
  }
}

/// Starts the activity now, or as soon as what it depends on has ended.
template <typename Activity>
void start_when_ready(Activity& activity) {
  if constexpr (requires { activity.vetoable_start(); }) {
    activity.vetoable_start();
  } else {
    activity.start();
  }
}

/// Calls back at the end of every Comm and Exec of this process.
template <typename Activity = simgrid::s4u::Activity>
void on_activity_end(const std::function<void(const simgrid::s4u::Activity&)>& callback) {
  if constexpr (requires { Activity::on_completion_cb(callback); }) {
    Activity::on_completion_cb(callback);
  } else {
    simgrid::s4u::Comm::on_completion_cb(callback);
    simgrid::s4u::Exec::on_completion_cb(callback);
  }
}

}  // namespace gradwire
