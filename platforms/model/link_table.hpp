#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

enum class LinkKind { kNic, kTrunk, kInner, kHost };

/// "NIC", "link between switches", "link inside a node", "network stack"; of several "NICs" and so
/// on.
std::string_view name_of(LinkKind kind);
std::string_view plural_of(LinkKind kind);

/// Whose link and which direction.
struct LinkPlace {
  LinkKind kind = LinkKind::kNic;
  /// Node of a NIC (of NIC n of several used by GPU: node * nics_per_node + n) or of a stack, GPU
  /// (rank) of a link inside a node, of one between switches its number in the topology.
  int owner = 0;
  bool outward = true;  ///< of a link between switches always

  bool operator==(const LinkPlace&) const = default;
};

/// The directed links of a cluster as integers: the NICs' out and in by turns, node by node, then
/// the stacks' out and in where a host_cap bounds them, then the topology's, then every GPU's link
/// to its neighbours inside the node, out and in. Refers to the cluster, which must outlive it.
class LinkTable {
 public:
  explicit LinkTable(const Cluster& cluster);

  /// The links that a message from one rank to another crosses, in order: inside a node the GPU's
  /// out and in; else the sender's stack and NIC out, what lies between the switches, NIC and stack
  /// in.
  std::vector<int> links_between(int from, int to) const;
  BitsPerSecond bandwidth(int link) const;
  LinkPlace place(int link) const;
  /// For people: "the NIC of node 3, out", "the link from rack 1 to core".
  std::string name(int link) const;

 private:
  const Cluster& cluster_;
  int first_stack_;
  int first_trunk_;
  int first_gpu_link_;
};

}  // namespace gradwire
