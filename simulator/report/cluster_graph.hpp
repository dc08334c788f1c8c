#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// Nodes of one switch that do not differ, or several switches or nodes that a picture leaves out.
struct DrawnBox {
  enum class Kind { kSwitch, kNodes, kOdd, kLeftOut };

  Kind kind = Kind::kSwitch;
  std::vector<std::string> lines;

  bool operator==(const DrawnBox&) const = default;
};

/// What joins two boxes, both directions as one line.
struct DrawnLine {
  int upper = 0;
  int lower = 0;
  std::string label;
  BitsPerSecond rate;  ///< of all cables of the line together, the faster direction

  bool operator==(const DrawnLine&) const = default;
};

/// A cluster as a picture shows it: switches, nodes, links, each with its rate as on the wire.
struct ClusterGraph {
  enum class Layout { kTree, kCircle, kSprings };

  std::string title;
  std::vector<std::string> notes;  ///< below it
  Layout layout = Layout::kTree;
  std::vector<DrawnBox> boxes;
  std::vector<DrawnLine> lines;
};

/// Equal nodes of a switch become one box. Of more than four equal switches that hang on the same
/// one, and of more than eight that are all joined to each other alike, four are drawn and one box
/// tells of the rest; of other networks of more than `kMostSwitches` switches the first ones.
/// Nodes with slow NICs or GPUs have boxes of their own.
ClusterGraph draw_cluster(const Cluster& cluster);

inline constexpr int kMostSwitches = 40;

/// As text for Graphviz's dot. Names are escaped: whatever they hold is shown, not obeyed.
void write_dot(const ClusterGraph& graph, std::ostream& out);

}  // namespace gradwire
