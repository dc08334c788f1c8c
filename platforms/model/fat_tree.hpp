#pragma once

#include <memory>
#include <vector>

#include "platforms/model/topology.hpp"

namespace gradwire {

/// One level of switches, from the leaves up.
struct FatTreeLevel {
  int children = 1;               ///< of a switch: nodes at the leaves, above them switches
  double oversubscription = 1.0;  ///< what a switch's children can send over what its trunk carries
  /// Links that a trunk consists of. 1 is a fluid trunk, which messages share perfectly. More are
  /// routed statically: a message to node d takes link d mod `links` of the first level's trunk,
  /// and of higher ones likewise by what is left of d.
  int links = 1;

  bool operator==(const FatTreeLevel&) const = default;
};

/// A tree of switches, each with one trunk to the level above, each direction; above the highest
/// level one switch with room for all. Children fill switches in order. A last switch that is not
/// full has the trunk of a full one.
class FatTree : public Topology {
 public:
  /// Throws InputError naming the level for children below 1, no level, an oversubscription below 1
  /// or links below 1. `latency`: of each link.
  FatTree(int nodes, std::vector<FatTreeLevel> levels, Seconds latency = Seconds{0});

  std::string describe() const override;
  int nodes() const override { return nodes_; }
  int links() const override { return level_starts_.back(); }
  void append_path(int from, int to, std::vector<int>& path) const override;
  BitsPerSecond bandwidth(int link, BitsPerSecond node) const override;
  Seconds latency(int) const override { return latency_; }
  LinkEnds ends(int link) const override;
  std::string switch_of(int node) const override;

 private:
  struct Place {
    int level = 0;
    int owner = 0;  ///< switch of that level
    int plane = 0;  ///< link of its trunk
    bool up = true;
  };

  Place place(int link) const;
  int switch_at(int level, int node) const {
    return node / spans_[static_cast<std::size_t>(level)];
  }
  int link_at(int level, int owner, int plane, bool up) const;
  std::string name_at(int level, int owner, int plane) const;

  int nodes_;
  std::vector<FatTreeLevel> levels_;
  Seconds latency_;
  std::vector<int> spans_;   // by level: nodes under a switch
  std::vector<int> planes_;  // by level: links of a trunk, those of the levels below counted in
  std::vector<int> level_starts_;  // by level and one more: its first link
};

/// One level: racks whose trunks lead to one switch. The shortest way to say the most common case.
std::shared_ptr<const Topology> racks(int nodes, int nodes_per_rack, double oversubscription);

}  // namespace gradwire
