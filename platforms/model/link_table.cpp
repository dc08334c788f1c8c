#include "platforms/model/link_table.hpp"

#include <fmt/format.h>

#include <array>

namespace gradwire {

std::string_view name_of(LinkKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"NIC", "link between switches",
                                                      "link inside a node", "network stack"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view plural_of(LinkKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"NICs", "links between switches",
                                                      "links inside nodes", "network stacks"};
  return kNames[static_cast<std::size_t>(kind)];
}

LinkTable::LinkTable(const Cluster& cluster)
    : cluster_(cluster),
      first_stack_(2 * cluster.nodes * cluster.nics_apart()),
      first_trunk_(first_stack_ + (cluster.host_cap ? 2 * cluster.nodes : 0)),
      first_gpu_link_(first_trunk_ +
                      (cluster.topology == nullptr ? 0 : cluster.topology->links())) {}

std::vector<int> LinkTable::links_between(int from, int to) const {
  const int sender = cluster_.node_of(from);
  const int receiver = cluster_.node_of(to);
  if (sender == receiver) return {first_gpu_link_ + 2 * from, first_gpu_link_ + 2 * to + 1};
  std::vector<int> links;
  if (cluster_.host_cap) links.push_back(first_stack_ + 2 * sender);
  links.push_back(2 * cluster_.nic_of(from));
  if (cluster_.topology != nullptr) {
    const auto before = static_cast<std::ptrdiff_t>(links.size());
    cluster_.topology->append_path(sender, receiver, links);
    for (auto link = links.begin() + before; link != links.end(); ++link) *link += first_trunk_;
  }
  links.push_back(2 * cluster_.nic_of(to) + 1);
  if (cluster_.host_cap) links.push_back(first_stack_ + 2 * receiver + 1);
  return links;
}

BitsPerSecond LinkTable::bandwidth(int link) const {
  const LinkPlace at = place(link);
  switch (at.kind) {
    case LinkKind::kNic:
      return cluster_.nic_bandwidth(at.owner / cluster_.nics_apart());
    case LinkKind::kTrunk:
      return cluster_.trunk_bandwidth(at.owner);
    case LinkKind::kInner:
      return cluster_.intra.bandwidth;
    case LinkKind::kHost:
      break;
  }
  return *cluster_.host_cap;
}

LinkPlace LinkTable::place(int link) const {
  const auto numbered = [link](LinkKind kind, int first) {
    return LinkPlace{kind, (link - first) / 2, (link - first) % 2 == 0};
  };
  if (link < first_stack_) return numbered(LinkKind::kNic, 0);
  if (link < first_trunk_) return numbered(LinkKind::kHost, first_stack_);
  if (link < first_gpu_link_) return {LinkKind::kTrunk, link - first_trunk_, true};
  return numbered(LinkKind::kInner, first_gpu_link_);
}

std::string LinkTable::name(int link) const {
  const LinkPlace at = place(link);
  const int nics = cluster_.nics_apart();
  const char* direction = at.outward ? "out" : "in";
  switch (at.kind) {
    case LinkKind::kNic:
      if (nics == 1) return fmt::format("the NIC of node {}, {}", at.owner, direction);
      return fmt::format("NIC {} of node {}, {}", at.owner % nics, at.owner / nics, direction);
    case LinkKind::kTrunk: {
      const LinkEnds ends = cluster_.topology->ends(at.owner);
      if (ends.from == ends.to) return fmt::format("the link {}", ends.from);
      return fmt::format("the link from {} to {}", ends.from, ends.to);
    }
    case LinkKind::kInner:
      return fmt::format("the link inside a node of GPU {}, {}", at.owner, direction);
    case LinkKind::kHost:
      break;
  }
  return fmt::format("the network stack of node {}, {}", at.owner, direction);
}

}  // namespace gradwire
