#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "platforms/model/cluster.hpp"
#include "simulator/collectives/latency_jitter.hpp"

namespace gradwire {

/// All NICs of a node.
struct NicsOfNode {
  int node = 0;
  bool outward = true;
  bool inward = true;

  bool operator==(const NicsOfNode&) const = default;
};

/// Links between switches, by the names that the topology has for their ends.
struct LinksBetween {
  std::string from;
  std::string to;
  bool both_ways = false;

  bool operator==(const LinksBetween&) const = default;
};

/// One link between switches, by its number in the topology.
struct NumberedLink {
  int link = 0;

  bool operator==(const NumberedLink&) const = default;
};

/// From `at` on the links carry `factor` of what the cluster says, until their next event.
struct LinkEvent {
  std::variant<NicsOfNode, LinksBetween, NumberedLink> links;
  Seconds at{0};        ///< from the start of the backward pass
  double factor = 1.0;  ///< 0 to 1; 0 is a failed link, 1 a whole one

  bool operator==(const LinkEvent&) const = default;
};

/// Foreign bytes from the first GPU of one node to that of another, from time 0 until the job has
/// ended. On for `on`, off for `off`, by turns: a turn is so many bytes as `rate` moves in `on`, so
/// it lasts longer where the network gives less, and the next begins no earlier than on + off after
/// it. Without `off` it never pauses.
struct BackgroundFlow {
  int from = 0;  ///< node
  int to = 0;
  std::optional<BitsPerSecond> rate;  ///< absent: as fast as the links let it
  Seconds on{0};
  Seconds off{0};  ///< both or neither

  bool operator==(const BackgroundFlow&) const = default;
};

/// What happens on the network while the job runs.
struct NetworkConditions {
  std::vector<LinkEvent> events;
  std::vector<BackgroundFlow> background;
  std::optional<LatencyJitter> latency_jitter;

  /// Whether something happens on links, so that nodes or links are named and SimGrid alone plays
  /// it.
  bool on_links() const { return !events.empty() || !background.empty(); }

  bool operator==(const NetworkConditions&) const = default;
};

/// A change of one link of a LinkTable.
struct CapacityChange {
  int link = 0;
  Seconds at{0};
  double factor = 1.0;  ///< of the link's bandwidth; 0 is a failed link

  bool operator==(const CapacityChange&) const = default;
};

/// The events, link by link, by time. Throws InputError naming the event for links that `cluster`
/// has not.
std::vector<CapacityChange> capacity_changes(const std::vector<LinkEvent>& events,
                                             const Cluster& cluster);

/// Throws InputError naming what was found and what is accepted: events of links that are not
/// there, two of a link at one time, factors outside 0 to 1; flows of nodes that are not there,
/// from a node to itself, without a rate above zero or with turns shorter than 10 us; a jitter's
/// sigma outside 0 to 10.
void check_conditions(const NetworkConditions& conditions, const Cluster& cluster);

}  // namespace gradwire
