#include "platforms/model/link_table.hpp"

namespace gradwire {

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

}  // namespace gradwire
