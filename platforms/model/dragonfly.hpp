#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/model/topology.hpp"

namespace gradwire {

struct DragonflyShape {
  int groups = 1;
  int routers = 1;  ///< of a group, all joined to each other
  int nodes_per_router = 1;
  /// Ports of a router for links to other groups; absent: the fewest that join all groups.
  std::optional<int> global_links;
  BitsPerSecond local_bandwidth;   ///< between two routers of a group, each direction
  BitsPerSecond global_bandwidth;  ///< of one link between groups, each direction
  Seconds latency{0};              ///< of each link
};

/// Groups of routers, each group joined to every other (Kim, Dally, Scott, Abts: Technology-driven,
/// highly-scalable dragonfly topology, ISCA 2008). Nodes fill routers and routers fill groups in
/// order.
///
/// With h ports a router, the ports of a group are numbered 0 .. routers * h - 1, those of router r
/// from r * h. Every two groups have `links_between_groups` links, the most that the ports suffice
/// for; ports left over are unused. With m such links and M = m * (groups - 1), port q of group i
/// is joined to port M - 1 - q of group i + 1 + floor(q / m), modulo groups: for m = 1 the
/// palm-tree arrangement (Camarero, Vallejo, Beivide: Topological characterization of Hamming and
/// dragonfly networks, ACM TACO 11(4), 2014).
///
/// Routing is minimal: at most one link inside the group, one to the destination's group, one
/// inside that. Of several links between the two groups it takes one that costs the fewest hops; of
/// n such, in the order of ports, number (destination node modulo n). So it is static, and blind to
/// load.
class Dragonfly : public Topology {
 public:
  /// Throws InputError naming the field for counts below 1, for more groups than the ports of one
  /// can reach, and for bandwidths of links that there are but that carry nothing.
  explicit Dragonfly(const DragonflyShape& shape);

  std::string describe() const override;
  int nodes() const override { return shape_.groups * shape_.routers * shape_.nodes_per_router; }
  int links() const override { return first_global_ + shape_.groups * ports_; }
  void append_path(int from, int to, std::vector<int>& path) const override;
  BitsPerSecond bandwidth(int link, BitsPerSecond node) const override;
  Seconds latency(int) const override { return shape_.latency; }
  LinkEnds ends(int link) const override;
  std::string switch_of(int node) const override;

  /// Each direction; 0 where there is one group.
  int links_between_groups() const { return between_; }

 private:
  struct Port {
    int group = 0;
    int port = 0;
  };

  int router_of(int node) const { return node / shape_.nodes_per_router; }  // of all, numbered on
  int router_at(Port port) const { return port.group * shape_.routers + port.port / global_links_; }
  /// The port at the other end of a global link.
  Port peer(Port port) const;
  int local_link(int from, int to) const;
  /// The port of the router's group over which a message leaves for another group.
  Port way_out(int from, int to_router, int to) const;
  std::string name(int router) const;

  DragonflyShape shape_;
  int global_links_ = 0;  // ports of a router
  int between_ = 0;       // links from a group to another
  int ports_ = 0;         // of a group, that are used
  int first_global_ = 0;
};

}  // namespace gradwire
