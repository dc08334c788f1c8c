#pragma once

#include <string>
#include <vector>

#include "platforms/model/link_table.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// What crosses one directed link, in total.
struct LinkLoad {
  int link = 0;  ///< of the cluster's LinkTable
  LinkPlace place;
  std::string name;  ///< for people
  BitsPerSecond bandwidth;
  Bytes bytes{0};

  /// How long the bytes keep the link busy at full rate: no schedule is faster.
  Seconds busy() const { return bytes / bandwidth; }
};

/// The loads of one collective, by link, links that carry nothing left out. Exact, whole-element
/// chunks counted as they are.
std::vector<LinkLoad> link_loads(const Schedule& schedule, const Cluster& cluster);

/// The link that bounds the bytes of a collective.
struct BoundingLink {
  LinkLoad load;
  /// Every loaded link of this kind has to carry as much for its speed, but for what one element a
  /// message makes.
  bool all_alike = true;
};

/// The link that is busy longest; the first where several are. Requires loads of `schedule`, at
/// least one.
BoundingLink bounding_link(const std::vector<LinkLoad>& loads, const Schedule& schedule);

}  // namespace gradwire
