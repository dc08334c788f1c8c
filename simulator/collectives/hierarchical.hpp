#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// All-reduce inside the node, then across: reduce-scatter around a ring in each node, an
/// all-reduce ring for each chunk over the ranks that hold it, one a node, all-gather in each node.
/// Nodes N of g ranks, m = ceil(e/g): 2(g-1)(alpha' + m s/B') + 2(N-1)(alpha + g ceil(m/N) s/B), '
/// inside a node, because the g rings share the node's NIC. Throws InputError where the last node
/// is not full.
std::unique_ptr<Schedule> make_hierarchical_all_reduce(const CollectiveCall& call,
                                                       const Participants& who);

/// The same by way of one rank a node, so that no NIC is shared: the chain reduce inside the node
/// in c chunks, a ring between nodes, the chain broadcast back: 2((g-2+c) alpha' + ((g-2) ceil(e/c)
/// + e) s/B') + 2(N-1)(alpha + ceil(e/N) s/B).
std::unique_ptr<Schedule> make_leader_ring_all_reduce(const CollectiveCall& call,
                                                      const Participants& who);

}  // namespace gradwire
