#include "simulator/scenario/ring_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace gradwire {
namespace {

/// Uniform in 0 .. bound-1. std::uniform_int_distribution differs between standard libraries.
std::uint64_t below(std::uint64_t bound, std::mt19937_64& random) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMost - kMost % bound;  // draws from here on would favour the small
  std::uint64_t draw = random();
  while (draw >= limit) draw = random();
  return draw % bound;
}

}  // namespace

std::vector<int> shuffled_ring(int workers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> order(static_cast<std::size_t>(std::max(0, workers)));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[below(left, random)]);
  }
  return order;
}

std::vector<int> shuffled_nodes(const Cluster& cluster, int workers, std::uint64_t seed) {
  std::vector<int> order;
  if (workers < 1) return order;
  for (const int node : shuffled_ring(cluster.node_of(workers - 1) + 1, seed)) {
    const int first = node * cluster.gpus_per_node;
    for (int rank = first; rank < std::min(workers, first + cluster.gpus_per_node); ++rank) {
      order.push_back(rank);
    }
  }
  return order;
}

}  // namespace gradwire
