#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// In round k = 1 .. n-1 rank i sends chunk (i + k) mod n straight to the rank of that number:
/// (n-1)(alpha + ceil(e/n) s/B). Reduce-scatter: the chunks are summed there (Thakur, Rabenseifner
/// and Gropp, IJHPCA 2005, section 4.3). Rounds have edges of their own, so the messages of a round
/// share a NIC where a node has several GPUs.
std::unique_ptr<Schedule> make_pairwise_reduce_scatter(const CollectiveCall& call,
                                                       const Participants& who);

/// The same as an all-to-all: rank i keeps chunk i of its own and ends with everybody's chunk i.
std::unique_ptr<Schedule> make_pairwise_all_to_all(const CollectiveCall& call,
                                                   const Participants& who);

/// All messages of the all-to-all at once, n-1 out of and into every rank: alpha + (n-1) ceil(e/n)
/// s/B, because they share a rank's link evenly.
std::unique_ptr<Schedule> make_direct_all_to_all(const CollectiveCall& call,
                                                 const Participants& who);

}  // namespace gradwire
