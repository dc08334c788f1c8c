#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Parents in NCCL's two binary trees over n ranks, -1 for a root: ranks that have children in one
/// are leaves of the other (src/graph/trees.cc of NCCL, since 2.5, recalled: the first tree
/// alternates leaves and inner ranks; the second is its mirror image, or it shifted by a rank where
/// n is odd).
struct TreeParents {
  std::vector<int> first;
  std::vector<int> second;
};
TreeParents double_tree_parents(int ranks);

/// All-reduce over both trees, each of which carries half of the vector in c chunks: up to the
/// roots, then down. A rank sends and receives one chunk a round, of the one tree in even rounds
/// and of the other in odd ones or the reverse, so that all links are busy (Sanders, Speck and
/// Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
/// Computing 2009): 2 (2(c-1) + d) (alpha + ceil(ceil(e/2)/c) s/B) with d(n) rounds for the first
/// chunk to reach the last rank, at most an element a round too much. NCCL's ranks send to both
/// children at once, so its latency is up to half of this. One rank a node plays, with the chain
/// reduce inside the nodes before it and the chain broadcast behind it. Throws InputError where the
/// last node is not full.
std::unique_ptr<Schedule> make_double_tree_all_reduce(const CollectiveCall& call,
                                                      const Participants& who);

/// In what chunks each tree carries `half` bytes: 512 KiB, halved to 32 KiB at the least for halves
/// that would not fill the levels of the tree (src/enqueue.cc of NCCL 2.8, protocol Simple).
Bytes double_tree_chunk(Bytes half, int ranks);

/// d(n): in how many rounds the first chunk is at every rank.
int double_tree_depth(int ranks);

}  // namespace gradwire
