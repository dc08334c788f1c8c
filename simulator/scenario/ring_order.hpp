#pragma once

#include <cstdint>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// Ranks 0 .. workers-1 in an order that `seed` decides, the same with every standard library
/// (Fisher-Yates over std::mt19937_64). Where a node has several GPUs their messages then share its
/// NIC, which no library would choose; for that see `shuffled_nodes`.
std::vector<int> shuffled_ring(int workers, std::uint64_t seed);

/// The same with whole nodes shuffled and the ranks inside a node in order: a ring such as NCCL
/// makes, which leaves a node once, for a job whose nodes the scheduler handed out in any order.
std::vector<int> shuffled_nodes(const Cluster& cluster, int workers, std::uint64_t seed);

}  // namespace gradwire
