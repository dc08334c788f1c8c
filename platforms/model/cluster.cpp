#include "platforms/model/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "base/errors.hpp"

namespace gradwire {
namespace {

// Keeps nodes x gpus_per_node an int; no cluster comes near.
constexpr int kMaxGpus = 1'000'000;

[[noreturn]] void refuse(const char* field, const std::string& what) {
  throw InputError(fmt::format("{}: {}", field, what));
}

void check_racks(const Cluster& cluster) {
  if (cluster.nodes_per_rack < 0 || cluster.nodes_per_rack > cluster.nodes) {
    refuse("nodes_per_rack", fmt::format("{} found; 1 to {} is accepted, or none for one switch",
                                         cluster.nodes_per_rack, cluster.nodes));
  }
  if (!std::isfinite(cluster.oversubscription) || cluster.oversubscription < 1.0) {
    refuse("oversubscription",
           fmt::format("{} found; a factor of 1 or more is accepted", cluster.oversubscription));
  }
  if (cluster.nodes_per_rack == 0 && cluster.oversubscription != 1.0) {
    refuse("oversubscription", fmt::format("{} found without racks; nodes_per_rack is needed too",
                                           cluster.oversubscription));
  }
}

void check_slow_nics(const Cluster& cluster) {
  std::set<int> seen;
  for (const SlowNic& slow : cluster.slow_nics) {
    if (slow.node < 0 || slow.node >= cluster.nodes) {
      refuse("slow_nic",
             fmt::format("node {} found; 0 to {} is accepted", slow.node, cluster.nodes - 1));
    }
    if (!seen.insert(slow.node).second) {
      refuse("slow_nic", fmt::format("node {} found twice; once is accepted", slow.node));
    }
    if (!(slow.bandwidth_factor > 0.0 && slow.bandwidth_factor <= 1.0)) {
      refuse("slow_nic",
             fmt::format("a factor of {} found for node {}; above 0 and at most 1 is accepted",
                         slow.bandwidth_factor, slow.node));
    }
  }
}

}  // namespace

BitsPerSecond Cluster::nic_bandwidth(int node) const {
  for (const SlowNic& slow : slow_nics) {
    if (slow.node == node) return nic.bandwidth * slow.bandwidth_factor;
  }
  return nic.bandwidth;
}

BitsPerSecond Cluster::trunk_bandwidth() const {
  return nic.bandwidth * (nodes_per_rack / oversubscription);
}

LinkSpec Cluster::link_between(int from, int to) const {
  const int sender = node_of(from);
  const int receiver = node_of(to);
  if (sender == receiver) return intra;
  LinkSpec link{std::min(nic_bandwidth(sender), nic_bandwidth(receiver)), nic.latency};
  if (rack_of(sender) != rack_of(receiver)) {
    link.bandwidth = std::min(link.bandwidth, trunk_bandwidth());
  }
  return link;
}

void check_cluster(const Cluster& cluster) {
  const auto check_count = [](const char* field, int value) {
    if (value < 1 || value > kMaxGpus) {
      refuse(field, fmt::format("{} found; 1 to {} is accepted", value, kMaxGpus));
    }
  };
  const auto check_link = [](const char* field, const LinkSpec& link) {
    if (!(link.bandwidth.count() > 0.0) || !std::isfinite(link.bandwidth.count())) {
      refuse(field, fmt::format("a bandwidth of {} bit/s found; more than zero is accepted",
                                link.bandwidth.count()));
    }
    if (!(link.latency.count() >= 0.0) || !std::isfinite(link.latency.count())) {
      refuse(field, fmt::format("a latency of {} s found; zero or more is accepted",
                                link.latency.count()));
    }
  };
  check_count("nodes", cluster.nodes);
  check_count("gpus_per_node", cluster.gpus_per_node);
  const auto gpus = static_cast<std::int64_t>(cluster.nodes) * cluster.gpus_per_node;
  if (gpus > kMaxGpus) {
    refuse("nodes", fmt::format("{} GPUs in all found; at most {} is accepted", gpus, kMaxGpus));
  }
  check_link("nic", cluster.nic);
  if (cluster.gpus_per_node > 1) check_link("intra", cluster.intra);
  check_racks(cluster);
  check_slow_nics(cluster);
}

}  // namespace gradwire
