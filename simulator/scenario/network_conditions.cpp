#include "simulator/scenario/network_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "platforms/model/link_table.hpp"
#include "simulator/scenario/network_conditions_text.hpp"

namespace gradwire {
namespace {

/// So that a simulation has an end.
constexpr Seconds kShortestPeriod{10e-6};

constexpr double kLargestSigma = 10.0;

bool names(const NicsOfNode& wanted, const LinkPlace& place, const Cluster& cluster) {
  return place.kind == LinkKind::kNic && place.owner / cluster.nics_apart() == wanted.node &&
         (place.outward ? wanted.outward : wanted.inward);
}

bool names(const LinksBetween& wanted, const LinkPlace& place, const Cluster& cluster) {
  if (place.kind != LinkKind::kTrunk) return false;
  const LinkEnds ends = cluster.topology->ends(place.owner);
  return ends == LinkEnds{wanted.from, wanted.to} ||
         (wanted.both_ways && ends == LinkEnds{wanted.to, wanted.from});
}

bool names(const NumberedLink& wanted, const LinkPlace& place, const Cluster&) {
  return place.kind == LinkKind::kTrunk && place.owner == wanted.link;
}

/// A few names of links between switches, for people who do not know them.
std::string examples_of_links(const Cluster& cluster) {
  constexpr int kExamples = 4;
  std::string text;
  for (int link = 0; link < std::min(cluster.topology->links(), kExamples); ++link) {
    const LinkEnds ends = cluster.topology->ends(link);
    text += fmt::format("{}{}>{}", link == 0 ? "" : ", ", ends.from, ends.to);
  }
  return text;
}

[[noreturn]] void refuse_links(const LinkEvent& event, const Cluster& cluster) {
  std::string accepted = fmt::format("nic 0 to nic {}", cluster.nodes - 1);
  if (cluster.topology != nullptr) {
    accepted += fmt::format(" and link 0 to link {}, by their ends {}, ...",
                            cluster.topology->links() - 1, examples_of_links(cluster));
  }
  throw InputError(fmt::format("link event: \"{}\" found; cluster \"{}\" has {}", to_text(event),
                               cluster.name, accepted));
}

std::vector<int> links_of(const LinkEvent& event, const Cluster& cluster, const LinkTable& table) {
  std::vector<int> links;
  for (int link = 0; table.place(link).kind != LinkKind::kInner; ++link) {
    const LinkPlace place = table.place(link);
    const bool named =
        std::visit([&](const auto& wanted) { return names(wanted, place, cluster); }, event.links);
    if (named) links.push_back(link);
  }
  if (links.empty()) refuse_links(event, cluster);
  return links;
}

void check_event(const LinkEvent& event) {
  if (!(event.factor >= 0.0 && event.factor <= 1.0)) {
    throw InputError(
        fmt::format("link event: a factor of {} found; 0 to 1 is accepted", event.factor));
  }
  if (!std::isfinite(event.at.count()) || event.at.count() < 0.0) {
    throw InputError(
        fmt::format("link event: a time of {} s found; 0 or later is accepted", event.at.count()));
  }
}

void check_flow(const BackgroundFlow& flow, const Cluster& cluster) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("background traffic \"{}\": {}", to_text(flow), what));
  };
  for (const int node : {flow.from, flow.to}) {
    if (node < 0 || node >= cluster.nodes) {
      refuse(fmt::format("node {} found; 0 to {} is accepted", node, cluster.nodes - 1));
    }
  }
  if (flow.from == flow.to) refuse("found from a node to itself; two nodes are accepted");
  if (flow.rate && !(flow.rate->count() > 0.0)) refuse("a rate above zero is accepted");
  const bool turns = flow.on.count() != 0.0 || flow.off.count() != 0.0;
  if (turns && (!(flow.on.count() > 0.0) || !(flow.off.count() > 0.0) ||
                flow.on + flow.off < kShortestPeriod)) {
    refuse(
        fmt::format("on for {} s and off for {} s found; above 0 each and {} s or more together "
                    "is accepted",
                    flow.on.count(), flow.off.count(), kShortestPeriod.count()));
  }
}

}  // namespace

std::vector<CapacityChange> capacity_changes(const std::vector<LinkEvent>& events,
                                             const Cluster& cluster) {
  const LinkTable table(cluster);
  std::vector<CapacityChange> changes;
  for (const LinkEvent& event : events) {
    for (const int link : links_of(event, cluster, table)) {
      changes.push_back({link, event.at, event.factor});
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const CapacityChange& a, const CapacityChange& b) {
                     return a.link != b.link ? a.link < b.link : a.at < b.at;
                   });
  const auto twice = std::adjacent_find(changes.begin(), changes.end(),
                                        [](const CapacityChange& a, const CapacityChange& b) {
                                          return a.link == b.link && a.at == b.at;
                                        });
  if (twice != changes.end()) {
    throw InputError(fmt::format("link event: two of {} at {} s found; one is accepted",
                                 table.name(twice->link), twice->at.count()));
  }
  return changes;
}

void check_conditions(const NetworkConditions& conditions, const Cluster& cluster) {
  for (const LinkEvent& event : conditions.events) check_event(event);
  (void)capacity_changes(conditions.events, cluster);
  for (const BackgroundFlow& flow : conditions.background) check_flow(flow, cluster);
  if (conditions.latency_jitter && !(conditions.latency_jitter->sigma >= 0.0 &&
                                     conditions.latency_jitter->sigma <= kLargestSigma)) {
    throw InputError(fmt::format("latency jitter: a sigma of {} found; 0 to {} is accepted",
                                 conditions.latency_jitter->sigma, kLargestSigma));
  }
}

}  // namespace gradwire
