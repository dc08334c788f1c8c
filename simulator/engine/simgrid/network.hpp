#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// Owns SimGrid's Engine (one a process) with our options, and the root zone that hosts and links
/// live in.
class SimgridWorld {
 public:
  SimgridWorld();

  simgrid::s4u::NetZone& zone() { return *zone_; }
  simgrid::s4u::Link* add_link(const std::string& name, BitsPerSecond bandwidth, Seconds latency);
  /// A link whose every flow may have all of `bandwidth`: a cap of one flow, shared by nobody.
  simgrid::s4u::Link* add_flow_cap(const std::string& name, BitsPerSecond bandwidth);
  /// One-way route of the links in the order given; a link named k times is used k-fold.
  void add_route(simgrid::s4u::Host* from, simgrid::s4u::Host* to,
                 const std::vector<simgrid::s4u::Link*>& links);
  /// Closes the zone; before anything is started, after the last host, link and route.
  void seal();
  /// Runs until nothing is left to do.
  void run();

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  simgrid::s4u::NetZone* zone_;
};

}  // namespace gradwire
