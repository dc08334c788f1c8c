#pragma once

#include <string>
#include <vector>

#include "platforms/model/topology.hpp"

namespace gradwire {

/// Nodes on a grid that closes on itself in every dimension, joined to their neighbours; they route
/// themselves. The first dimension runs fastest: node = x + size_0 * (y + size_1 * ...). A
/// dimension of size 2 has one link in each direction, one of size 1 none.
///
/// Messages go along the first dimension, then the second and so on, each the shorter way round.
/// Where both are equally long (half of an even size), those from an even coordinate go up and
/// those from an odd one down, which loads both directions alike.
class Torus : public Topology {
 public:
  /// Throws InputError for no dimension, a size below 1, more links than an int counts or a
  /// bandwidth that is not above zero. `latency`: of each link.
  Torus(std::vector<int> sizes, BitsPerSecond bandwidth, Seconds latency = Seconds{0});

  std::string describe() const override;
  int nodes() const override { return nodes_; }
  int links() const override { return nodes_ * links_per_node_; }
  void append_path(int from, int to, std::vector<int>& path) const override;
  BitsPerSecond bandwidth(int, BitsPerSecond) const override { return bandwidth_; }
  Seconds latency(int) const override { return latency_; }
  LinkEnds ends(int link) const override;
  std::string switch_of(int node) const override;

 private:
  struct Dimension {
    int size = 1;
    int stride = 1;      // from a node to the next along it
    int first_link = 0;  // of a node's: up, then down where the size is above 2
  };

  int neighbour(int node, const Dimension& along, bool up) const;

  std::vector<Dimension> dimensions_;
  BitsPerSecond bandwidth_;
  Seconds latency_;
  int nodes_ = 1;
  int links_per_node_ = 0;
};

}  // namespace gradwire
