#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/model/network_link.hpp"
#include "platforms/model/topology.hpp"

namespace gradwire {

/// A cable between two named switches: a link in each direction.
struct Cable {
  std::string from;
  std::string to;
  BitsPerSecond bandwidth;  ///< each direction
  Seconds latency{0};

  bool operator==(const Cable&) const = default;
};

/// Any switches joined by any cables, and which switch each node is on. Cable c is link 2c from its
/// first switch to its second and 2c + 1 back.
///
/// A message takes a way of the fewest hops. Where a switch has n > 1 links on such ways (in the
/// order of the cables) it takes number q modulo n, and q becomes q / n; q is the destination node
/// at the first switch. So routing is static and by destination, as on a fat tree whose trunks have
/// several links.
class SwitchGraph : public Topology {
 public:
  /// Throws InputError for no cable, a switch without name, a cable from a switch to itself or
  /// without a bandwidth above zero, a node on a switch that no cable names, two nodes without a
  /// way between them (naming both), and more switches than `kMostDistances` allows.
  SwitchGraph(const std::vector<Cable>& cables, const std::vector<std::string>& switch_of_node);

  std::string describe() const override;
  int nodes() const override { return static_cast<int>(places_.size()); }
  int links() const override { return static_cast<int>(links_.size()); }
  void append_path(int from, int to, std::vector<int>& path) const override;
  BitsPerSecond bandwidth(int link, BitsPerSecond node) const override;
  Seconds latency(int link) const override { return link_at(link).latency; }
  LinkEnds ends(int link) const override { return link_at(link).ends; }
  std::string switch_of(int node) const override;

  /// Switches times those that carry nodes: what is kept is a distance of each pair (2 bytes).
  static constexpr std::int64_t kMostDistances = 1 << 24;

 private:
  const NetworkLink& link_at(int link) const { return links_[static_cast<std::size_t>(link)]; }
  void place_nodes(const std::vector<std::string>& switch_of_node);
  void measure_distances();
  void refuse_separate_nodes() const;
  /// Hops from a switch to the one that is `carrier`-th to carry nodes.
  int distance(int from, int carrier) const;

  std::vector<std::string> switches_;
  std::vector<NetworkLink> links_;
  std::vector<int> heads_;                  // by link: the switch that it leads to
  std::vector<std::vector<int>> outgoing_;  // by switch: its links
  std::vector<int> carriers_;               // switches that carry nodes
  std::vector<int> places_;                 // by node: its carrier
  std::vector<std::uint16_t> distances_;    // by carrier, then switch
};

}  // namespace gradwire
