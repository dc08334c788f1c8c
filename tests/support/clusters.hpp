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

/// `nodes` nodes of several GPUs: NICs of 10 Gbps and 20 us, inside a node 400 Gbps and 3 us.
inline Cluster mixed_cluster(int nodes, int gpus_per_node) {
  Cluster cluster = flat_cluster(nodes, 10e9, 20e-6);
  cluster.name = "mixed";
  cluster.gpus_per_node = gpus_per_node;
  cluster.intra = {BitsPerSecond{400e9}, Seconds{3e-6}};
  return cluster;
}

}  // namespace gradwire::test
