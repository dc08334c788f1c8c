#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// All-reduce by switches that sum at the speed of their links while the vector streams through:
/// every node sends it up once and is sent the sum once, alpha + b/B between nodes (Graham et al.,
/// "SHARP streaming-aggregation", ISC 2020; Sapio et al., "SwitchML", NSDI 2021; that they reach
/// the link's speed is assumed). Inside the nodes the chain reduce first and the chain broadcast
/// last.
///
/// The schedule knows no switches: a message from one node to the next stands for what the one
/// sends up and the other is sent down. The links carry the same, trunks between racks too, which
/// switches that sum cross once in each direction.
std::unique_ptr<Schedule> make_in_network_all_reduce(const CollectiveCall& call,
                                                     const Participants& who);

}  // namespace gradwire
