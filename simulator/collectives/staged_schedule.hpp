#pragma once

#include <memory>
#include <vector>

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// A collective among some of the ranks, as a part of a larger one.
struct StageGroup {
  std::shared_ptr<const Schedule> schedule;
  std::vector<int> rank_at;  ///< the rank that plays its rank i
  Elements first{0};         ///< where its vector begins in the larger one's
};

/// Groups at work side by side: with as many ranks and rounds each, no rank in two of them.
struct Stage {
  std::vector<StageGroup> groups;
  bool inside_nodes = false;  ///< every group stays inside a node
  int groups_per_nic = 1;     ///< where they do not: how many of them leave a node
};

/// One stage after the other. Its closed forms are the stages' in a row; the first group of a stage
/// must be one with the longest vector.
std::unique_ptr<Schedule> make_staged(const CollectiveCall& call, int ranks,
                                      std::vector<Stage> stages);

/// Nodes with as many ranks each.
struct EqualNodes {
  int nodes = 1;
  int per_node = 1;

  /// The ranks of `node`, in order.
  std::vector<int> ranks_of(int node) const;
  /// Rank `local` of every node, in order.
  std::vector<int> across(int local) const;
};

/// How `who` fill their nodes. Throws InputError naming `algorithm` where the last node is not
/// full.
EqualNodes equal_nodes(const Participants& who, std::string_view algorithm);

/// All-reduce of `between`, which one rank a node plays: the vectors of a node are first summed
/// along a chain to its first rank, and the result goes back along it.
std::unique_ptr<Schedule> make_between_nodes(const CollectiveCall& call, const EqualNodes& nodes,
                                             std::unique_ptr<Schedule> between);

}  // namespace gradwire
