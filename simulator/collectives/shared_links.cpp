#include "simulator/collectives/shared_links.hpp"

#include <algorithm>
#include <map>

#include "platforms/model/link_table.hpp"

namespace gradwire {
namespace {

bool shares_links(const Phase& phase, const Cluster& cluster, const LinkTable& table) {
  // Sums of equal shares of a link may round above it.
  constexpr double kRounding = 1.0 + 1e-9;
  std::map<int, double> wanted;  // bits a second, by link
  for (const Edge& edge : phase.edges) {
    const double alone = cluster.link_between(edge.from, edge.to).bandwidth.count();
    for (const int link : table.links_between(edge.from, edge.to))
      wanted[link] += alone / phase.turns;
  }
  return std::any_of(wanted.begin(), wanted.end(), [&](const auto& of_link) {
    return of_link.second > table.bandwidth(of_link.first).count() * kRounding;
  });
}

}  // namespace

bool shares_links(const Schedule& schedule, const Cluster& cluster) {
  const LinkTable table(cluster);
  const std::vector<Phase> phases = schedule.phases();
  return std::any_of(phases.begin(), phases.end(),
                     [&](const Phase& phase) { return shares_links(phase, cluster, table); });
}

}  // namespace gradwire
