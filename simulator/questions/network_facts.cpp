#include "simulator/questions/network_facts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "platforms/model/link_table.hpp"
#include "simulator/collectives/ring.hpp"

namespace gradwire {
namespace {

/// Pairs of switches beyond which the farthest is looked for from node 0 alone.
constexpr std::size_t kMostPairs = 1 << 20;

MessageFacts message_between(const Cluster& cluster, int from, int to) {
  MessageFacts facts{from, to, 0, {}, {}};
  if (cluster.topology != nullptr) {
    std::vector<int> path;
    cluster.topology->append_path(from, to, path);
    facts.hops = static_cast<int>(path.size());
  }
  facts.seen = cluster.link_between(from * cluster.gpus_per_node, to * cluster.gpus_per_node);
  if (const auto& band = cluster.nic_latency_band) {
    const Seconds hops = facts.seen.latency - cluster.nic.latency;
    facts.latency_band = LatencyBand{band->low + hops, band->high + hops};
  }
  return facts;
}

/// The first node of each switch, and of one switch a second one.
struct SwitchNodes {
  std::vector<int> firsts;
  std::optional<std::pair<int, int>> together;
};

SwitchNodes switch_nodes(const Cluster& cluster) {
  SwitchNodes found;
  std::map<std::string, int> first_on;
  for (int node = 0; node < cluster.nodes; ++node) {
    const std::string name =
        cluster.topology == nullptr ? std::string{} : cluster.topology->switch_of(node);
    const auto [entry, added] = first_on.emplace(name, node);
    if (added) {
      found.firsts.push_back(node);
    } else if (!found.together) {
      found.together = {entry->second, node};
    }
  }
  return found;
}

void find_farthest(const Cluster& cluster, const std::vector<int>& firsts, NetworkFacts& facts) {
  facts.far_of_all = firsts.size() * firsts.size() <= kMostPairs;
  const std::size_t starts = facts.far_of_all ? firsts.size() : 1;
  for (std::size_t from = 0; from < starts; ++from) {
    for (const int to : firsts) {
      if (to == firsts[from]) continue;
      const MessageFacts found = message_between(cluster, firsts[from], to);
      const bool farther =
          !facts.far || found.hops > facts.far->hops ||
          (found.hops == facts.far->hops && found.seen.bandwidth < facts.far->seen.bandwidth);
      if (farther) facts.far = found;
    }
  }
}

/// Rank r sends to the rank `distance` on, modulo all ranks.
ShiftFacts shift(const Cluster& cluster, const LinkTable& table, int distance) {
  std::map<int, int> messages;  // by link
  bool leaves_node = false;
  for (int rank = 0; rank < cluster.gpus(); ++rank) {
    const int to = (rank + distance) % cluster.gpus();
    leaves_node = leaves_node || cluster.node_of(rank) != cluster.node_of(to);
    for (const int link : table.links_between(rank, to)) ++messages[link];
  }
  ShiftFacts facts{BitsPerSecond{std::numeric_limits<double>::infinity()}, {}, 1};
  int slowest = 0;
  for (const auto& [link, count] : messages) {
    const BitsPerSecond share = table.bandwidth(link) * (1.0 / count);
    if (share < facts.per_gpu) {
      facts.per_gpu = share;
      facts.messages_there = count;
      slowest = link;
    }
  }
  facts.bound_by = table.name(slowest);
  if (leaves_node && cluster.flow_cap && *cluster.flow_cap < facts.per_gpu) {
    facts = {*cluster.flow_cap, "the flow cap", 1};
  }
  return facts;
}

RingFacts ring_all_reduce(const Cluster& cluster, const LinkTable& table, Bytes bytes) {
  RingFacts facts;
  facts.bytes = bytes;
  facts.ranks = cluster.gpus();
  const ShiftFacts slowest = shift(cluster, table, 1);
  facts.bandwidth = slowest.per_gpu;
  facts.bound_by = slowest.bound_by;
  for (int rank = 0; rank < facts.ranks; ++rank) {
    facts.alpha =
        std::max(facts.alpha, cluster.link_between(rank, (rank + 1) % facts.ranks).latency);
  }
  constexpr Bytes kFloat{4};
  const Elements elements{bytes.count() / kFloat.count()};
  const CollectiveCall call{CollectiveKind::kAllReduce, elements, kFloat};
  facts.time = make_ring_all_reduce(call, {facts.ranks})->closed_form(facts.alpha, facts.bandwidth);
  facts.algorithm_bandwidth =
      BitsPerSecond::from_bytes_per_second(static_cast<double>(bytes.count()) / facts.time.count());
  facts.bus_bandwidth = facts.algorithm_bandwidth * (2.0 * (facts.ranks - 1) / facts.ranks);
  return facts;
}

}  // namespace

NetworkFacts make_network_facts(const Cluster& cluster, Bytes bytes) {
  NetworkFacts facts;
  const SwitchNodes nodes = switch_nodes(cluster);
  if (nodes.together) {
    facts.near = message_between(cluster, nodes.together->first, nodes.together->second);
  }
  find_farthest(cluster, nodes.firsts, facts);
  const LinkTable table(cluster);
  if (cluster.nodes > 1) {
    facts.half_shift = shift(cluster, table, cluster.nodes / 2 * cluster.gpus_per_node);
  }
  if (cluster.gpus() > 1) facts.ring = ring_all_reduce(cluster, table, bytes);
  return facts;
}

}  // namespace gradwire
