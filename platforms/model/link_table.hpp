#pragma once

#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

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

 private:
  const Cluster& cluster_;
  int first_trunk_;
  int first_gpu_link_;
};

}  // namespace gradwire
