#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Rank 0's whole buffer down a binomial tree, first to the rank half way to the end:
/// ceil(log2 n) (alpha + b/B) (Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.2).
std::unique_ptr<Schedule> make_binomial_broadcast(const CollectiveCall& call,
                                                  const Participants& who);

/// The same backwards: the sum of all buffers at rank 0.
std::unique_ptr<Schedule> make_binomial_reduce(const CollectiveCall& call, const Participants& who);

/// The chain broadcast backwards: the sum of all buffers at rank 0, in as many chunks.
std::unique_ptr<Schedule> make_chain_reduce(const CollectiveCall& call, const Participants& who);

/// Chunk i of rank 0's buffer to rank i down the tree, then an all-gather around a ring (van de
/// Geijn; the same paper, section 4.2): ceil(log2 n) alpha + (e - ceil(e/n)) s/B + (n-1)(alpha +
/// ceil(e/n) s/B).
std::unique_ptr<Schedule> make_scatter_all_gather_broadcast(const CollectiveCall& call,
                                                            const Participants& who);

}  // namespace gradwire
