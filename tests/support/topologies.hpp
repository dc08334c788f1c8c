#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "platforms/model/topology.hpp"

namespace gradwire::test {

inline std::vector<int> path_between(const Topology& topology, int from, int to) {
  std::vector<int> path;
  topology.append_path(from, to, path);
  return path;
}

/// Whether the way from one node to the other leads over links each of which starts where the one
/// before it ends, from the switch of the one to that of the other, none of them twice.
inline testing::AssertionResult is_connected(const Topology& topology, int from, int to) {
  std::string at = topology.switch_of(from);
  std::set<int> seen;
  for (const int link : path_between(topology, from, to)) {
    if (link < 0 || link >= topology.links() || !seen.insert(link).second) {
      return testing::AssertionFailure() << "link " << link << ", no link or met twice";
    }
    const LinkEnds ends = topology.ends(link);
    if (ends.from != at) {
      return testing::AssertionFailure() << "from " << ends.from << " instead of " << at;
    }
    at = ends.to;
  }
  if (at != topology.switch_of(to)) {
    return testing::AssertionFailure()
           << "the way to " << topology.switch_of(to) << " ends at " << at;
  }
  return testing::AssertionSuccess();
}

/// Ways between all pairs of nodes that are not connected as they should be.
inline int broken_ways(const Topology& topology) {
  int broken = 0;
  for (int from = 0; from < topology.nodes(); ++from) {
    for (int to = 0; to < topology.nodes(); ++to) {
      const testing::AssertionResult way = is_connected(topology, from, to);
      if (way) continue;
      if (broken++ == 0) ADD_FAILURE() << from << " to " << to << ": " << way.message();
    }
  }
  return broken;
}

/// By link: how many of the messages from every node to every other cross it.
inline std::vector<int> all_to_all_loads(const Topology& topology) {
  std::vector<int> loads(static_cast<std::size_t>(topology.links()), 0);
  for (int from = 0; from < topology.nodes(); ++from) {
    for (int to = 0; to < topology.nodes(); ++to) {
      if (from == to) continue;
      for (const int link : path_between(topology, from, to))
        ++loads[static_cast<std::size_t>(link)];
    }
  }
  return loads;
}

/// The most links on a way between two nodes.
inline int diameter(const Topology& topology) {
  std::size_t most = 0;
  for (int from = 0; from < topology.nodes(); ++from) {
    for (int to = 0; to < topology.nodes(); ++to) {
      most = std::max(most, path_between(topology, from, to).size());
    }
  }
  return static_cast<int>(most);
}

}  // namespace gradwire::test
