#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Every rank sends its whole contribution to every other directly: in round k = 1 .. n-1 rank i
/// sends to (i + k) mod n. As many rounds and bytes as the ring, (n-1)(alpha + e s/B), but every
/// round has other edges, so the messages of a round share a NIC where a node has several GPUs.
std::unique_ptr<Schedule> make_pairwise_all_gather(const CollectiveCall& call,
                                                   const Participants& who);

}  // namespace gradwire
