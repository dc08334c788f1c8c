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

void check_speeds(const Cluster& cluster) {
  std::set<std::pair<bool, int>> seen;
  for (const DeviceSpeed& speed : cluster.speeds) {
    if (speed.node.has_value() == speed.gpu.has_value()) {
      refuse("speed", "of a node and a GPU, or of none; one of both is accepted");
    }
    const bool of_node = speed.node.has_value();
    const int owner = of_node ? *speed.node : *speed.gpu;
    const char* kind = of_node ? "node" : "gpu";
    const int last = (of_node ? cluster.nodes : cluster.gpus()) - 1;
    if (owner < 0 || owner > last) {
      refuse("speed", fmt::format("{} {} found; 0 to {} is accepted", kind, owner, last));
    }
    if (!seen.insert({of_node, owner}).second) {
      refuse("speed", fmt::format("{} {} found twice; once is accepted", kind, owner));
    }
    if (!(speed.factor > 0.0) || !std::isfinite(speed.factor)) {
      refuse("speed", fmt::format("a factor of {} found for {} {}; above 0 is accepted",
                                  speed.factor, kind, owner));
    }
  }
}

void check_rate(const char* field, BitsPerSecond rate) {
  if (!(rate.count() > 0.0) || !std::isfinite(rate.count())) {
    refuse(field, fmt::format("{} bit/s found; more than zero is accepted", rate.count()));
  }
}

void check_nics(const Cluster& cluster) {
  if (cluster.nic_use == NicUse::kByGpu && cluster.nics_per_node > cluster.gpus_per_node) {
    refuse("nics_per_node", fmt::format("{} found, used by {} GPUs, one NIC each; at most so many "
                                        "are accepted, or nic_use STRIPED",
                                        cluster.nics_per_node, cluster.gpus_per_node));
  }
  if (!(cluster.efficiency > 0.0 && cluster.efficiency <= 1.0)) {
    refuse("efficiency",
           fmt::format("{} found; above 0 and at most 1 is accepted", cluster.efficiency));
  }
  if (cluster.host_cap) check_rate("host_cap", *cluster.host_cap);
  if (cluster.flow_cap) check_rate("flow_cap", *cluster.flow_cap);
  if (cluster.shaper) {
    check_rate("shaper.rate", cluster.shaper->rate);
    if (cluster.shaper->burst < Bytes{0}) refuse("shaper.burst", "a negative one found");
  }
}

void check_topology(const Cluster& cluster) {
  if (cluster.topology == nullptr) return;
  if (cluster.topology->nodes() != cluster.nodes) {
    refuse("nodes",
           fmt::format("{} found on a network of {}", cluster.nodes, cluster.topology->nodes()));
  }
}

}  // namespace

BitsPerSecond Cluster::whole_nic_bandwidth() const {
  return nic.bandwidth * (efficiency * nics_together());
}

BitsPerSecond Cluster::nic_bandwidth(int node) const {
  double factor = 1.0;
  for (const SlowNic& slow : slow_nics) {
    if (slow.node == node) factor *= slow.bandwidth_factor;
  }
  return whole_nic_bandwidth() * factor;
}

BitsPerSecond Cluster::trunk_bandwidth(int link) const {
  return topology->bandwidth(link, nic.bandwidth * nics_per_node) * efficiency;
}

LinkSpec Cluster::across() const {
  LinkSpec link{whole_nic_bandwidth(), nic.latency};
  if (host_cap) link.bandwidth = std::min(link.bandwidth, *host_cap);
  if (flow_cap) link.bandwidth = std::min(link.bandwidth, *flow_cap);
  return link;
}

LinkSpec Cluster::link_between(int from, int to) const {
  const int sender = node_of(from);
  const int receiver = node_of(to);
  if (sender == receiver) return intra;
  LinkSpec link = across();
  if (!slow_nics.empty()) {
    link.bandwidth = std::min({link.bandwidth, nic_bandwidth(sender), nic_bandwidth(receiver)});
  }
  if (topology != nullptr) {
    std::vector<int> path;
    topology->append_path(sender, receiver, path);
    for (const int hop : path) {
      link.bandwidth = std::min(link.bandwidth, trunk_bandwidth(hop));
      link.latency += topology->latency(hop);
    }
  }
  return link;
}

double Cluster::compute_factor(int rank) const {
  double speed_of_rank = 1.0;
  for (const DeviceSpeed& speed : speeds) {
    if (speed.node == node_of(rank) || speed.gpu == rank) speed_of_rank *= speed.factor;
  }
  return 1.0 / speed_of_rank;
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
  check_count("nics_per_node", cluster.nics_per_node);
  check_nics(cluster);
  check_topology(cluster);
  check_slow_nics(cluster);
  check_speeds(cluster);
}

}  // namespace gradwire
