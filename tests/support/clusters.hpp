#pragma once

#include "platforms/model/cluster.hpp"

namespace gradwire::test {

/// `nodes` nodes of one GPU each: every message crosses the network.
inline Cluster flat_cluster(int nodes, double bits_per_second, double latency_seconds) {
  Cluster cluster;
  cluster.name = "flat";
  cluster.nodes = nodes;
  cluster.gpus_per_node = 1;
  cluster.nic = {BitsPerSecond{bits_per_second}, Seconds{latency_seconds}};
  cluster.intra = cluster.nic;
  return cluster;
}

}  // namespace gradwire::test
