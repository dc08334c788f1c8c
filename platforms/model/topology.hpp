#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// Switches (or, in a torus, nodes) that a link joins, as people name them; twice the link's own
/// name where only that is known.
struct LinkEnds {
  std::string from;
  std::string to;

  bool operator==(const LinkEnds&) const = default;
};

/// What lies between the NICs of a cluster's nodes: directed links, numbered from 0, and the way
/// from node to node over them. Immutable. NICs and what is inside a node are not part of it.
class Topology {
 public:
  virtual ~Topology() = default;

  /// A sentence's part for people: "6 racks of 4 nodes, oversubscribed 4 to 1".
  virtual std::string describe() const = 0;

  /// How many nodes it joins.
  virtual int nodes() const = 0;

  virtual int links() const = 0;

  /// Appends the links from node `from` to node `to`, in order; none where both are on one switch.
  virtual void append_path(int from, int to, std::vector<int>& path) const = 0;

  /// Of `link`. `node` is the rate of all NICs of a node together, to which oversubscription
  /// refers.
  virtual BitsPerSecond bandwidth(int link, BitsPerSecond node) const = 0;

  /// What a message pays for crossing `link`, beside the latency of its NIC.
  virtual Seconds latency(int link) const = 0;

  virtual LinkEnds ends(int link) const = 0;

  /// What the NICs of `node` lead to, by the name that `ends` has for it.
  virtual std::string switch_of(int node) const = 0;
};

}  // namespace gradwire
