#pragma once

#include <string_view>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

enum class LinkKind { kNic, kTrunk, kInner };

/// "NIC", "trunk", "link inside a node"; of several "NICs", "trunks", "links inside nodes".
std::string_view name_of(LinkKind kind);
std::string_view plural_of(LinkKind kind);

/// Whose link and which direction.
struct LinkPlace {
  LinkKind kind = LinkKind::kNic;
  int owner = 0;        ///< node of a NIC, rack of a trunk, GPU (rank) of a link inside a node
  bool outward = true;  ///< of a trunk: up

  bool operator==(const LinkPlace&) const = default;
};

/// The directed links of a cluster as integers: node i's NIC out 2i and in 2i+1, then every rack's
/// trunk up and down, then every GPU's link to its neighbours inside the node, out and in. Refers
/// to the cluster, which must outlive it.
class LinkTable {
 public:
  explicit LinkTable(const Cluster& cluster);

  /// The links that a message from one rank to another crosses, in order: inside a node the GPU's
  /// out and in; else NIC out, between racks trunk up and trunk down, NIC in.
  std::vector<int> links_between(int from, int to) const;
  BitsPerSecond bandwidth(int link) const;
  LinkPlace place(int link) const;

 private:
  const Cluster& cluster_;
  int first_trunk_;
  int first_gpu_link_;
};

}  // namespace gradwire
