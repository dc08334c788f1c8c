#include "platforms/model/link_table.hpp"

#include <array>

namespace gradwire {

std::string_view name_of(LinkKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"NIC", "trunk", "link inside a node"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view plural_of(LinkKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"NICs", "trunks", "links inside nodes"};
  return kNames[static_cast<std::size_t>(kind)];
}

LinkTable::LinkTable(const Cluster& cluster)
    : cluster_(cluster),
      first_trunk_(2 * cluster.nodes),
      first_gpu_link_(first_trunk_ + 2 * (cluster.rack_of(cluster.nodes - 1) + 1)) {}

std::vector<int> LinkTable::links_between(int from, int to) const {
  const int sender = cluster_.node_of(from);
  const int receiver = cluster_.node_of(to);
  if (sender == receiver) return {first_gpu_link_ + 2 * from, first_gpu_link_ + 2 * to + 1};
  const int up = cluster_.rack_of(sender);
  const int down = cluster_.rack_of(receiver);
  if (up == down) return {2 * sender, 2 * receiver + 1};
  return {2 * sender, first_trunk_ + 2 * up, first_trunk_ + 2 * down + 1, 2 * receiver + 1};
}

BitsPerSecond LinkTable::bandwidth(int link) const {
  if (link < first_trunk_) return cluster_.nic_bandwidth(link / 2);
  return link < first_gpu_link_ ? cluster_.trunk_bandwidth() : cluster_.intra.bandwidth;
}

LinkPlace LinkTable::place(int link) const {
  const auto numbered = [link](LinkKind kind, int first) {
    return LinkPlace{kind, (link - first) / 2, (link - first) % 2 == 0};
  };
  if (link < first_trunk_) return numbered(LinkKind::kNic, 0);
  if (link < first_gpu_link_) return numbered(LinkKind::kTrunk, first_trunk_);
  return numbered(LinkKind::kInner, first_gpu_link_);
}

}  // namespace gradwire
