#include "simulator/report/switch_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"

namespace gradwire {

std::string Trunk::label() const {
  const auto words = [this](BitsPerSecond all) {
    const std::string one = format_bandwidth(all * (1.0 / cables));
    return cables == 1 ? one : fmt::format("{} x {}", cables, one);
  };
  if (out == BitsPerSecond{0.0} || back == BitsPerSecond{0.0}) {
    return fmt::format("{}, one way", words(std::max(out, back)));
  }
  return out == back ? words(out) : fmt::format("{}, back {}", words(out), words(back));
}

SwitchMap::SwitchMap(const Cluster& cluster) {
  if (cluster.topology == nullptr) {
    MappedSwitch& only = switches_.emplace_back();
    only.name = "switch";
    for (int node = 0; node < cluster.nodes; ++node) only.nodes.push_back(node);
    return;
  }
  const Topology& topology = *cluster.topology;
  for (int node = 0; node < cluster.nodes; ++node) {
    const int at = index_of(topology.switch_of(node));
    switches_[static_cast<std::size_t>(at)].nodes.push_back(node);
  }
  const BitsPerSecond node_rate = cluster.nic.bandwidth * cluster.nics_per_node;
  for (int link = 0; link < topology.links(); ++link) {
    const LinkEnds ends = topology.ends(link);
    const int from = index_of(ends.from);
    const int to = index_of(ends.to);
    const BitsPerSecond rate = topology.bandwidth(link, node_rate);
    Trunk& forth = switches_[static_cast<std::size_t>(from)].trunks[to];
    Trunk& back = switches_[static_cast<std::size_t>(to)].trunks[from];
    forth.out = BitsPerSecond{forth.out.count() + rate.count()};
    back.back = forth.out;
    // A cable is a link there and one back; of cables that lead one way the greater count.
    ++forth.cables;
  }
  for (std::size_t from = 0; from < switches_.size(); ++from) {
    for (auto& [to, trunk] : switches_[from].trunks) {
      Trunk& other = switches_[static_cast<std::size_t>(to)].trunks[static_cast<int>(from)];
      trunk.cables = other.cables = std::max({1, trunk.cables, other.cables});
    }
  }
  hang();
}

std::vector<int> SwitchMap::core() const {
  std::vector<int> core;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    if (switches_[at].parent < 0) core.push_back(static_cast<int>(at));
  }
  return core;
}

int SwitchMap::index_of(const std::string& name) {
  const auto [entry, added] = indices_.emplace(name, static_cast<int>(switches_.size()));
  if (added) switches_.emplace_back().name = name;
  return entry->second;
}

/// Takes away again and again the switches that are joined to one other only. Those with nodes go
/// first, so that of two that are left the one above stays.
void SwitchMap::hang() {
  std::vector<std::size_t> joined;
  for (const MappedSwitch& at : switches_) joined.push_back(at.trunks.size());
  for (bool found = true; found;) {
    found = false;
    std::vector<std::size_t> loose;
    for (std::size_t at = 0; at < switches_.size(); ++at) {
      if (switches_[at].parent < 0 && joined[at] == 1) loose.push_back(at);
    }
    std::stable_partition(loose.begin(), loose.end(),
                          [this](std::size_t at) { return !switches_[at].nodes.empty(); });
    for (const std::size_t at : loose) {
      if (joined[at] != 1) continue;  // the last two: the other one hangs on this
      for (const auto& [to, trunk] : switches_[at].trunks) {
        const auto other = static_cast<std::size_t>(to);
        if (switches_[other].parent == static_cast<int>(at)) continue;
        switches_[at].parent = to;
        switches_[other].children.push_back(static_cast<int>(at));
        --joined[other];
      }
      joined[at] = 0;
      found = true;
    }
  }
  for (MappedSwitch& at : switches_) std::sort(at.children.begin(), at.children.end());
}

}  // namespace gradwire
