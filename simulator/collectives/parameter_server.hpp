#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// All-reduce by way of p servers, which share the vector evenly: every rank pushes each server its
/// chunk, the servers add, and every rank pulls the sums. Server j runs on rank floor(j n / p), so
/// p servers on p nodes are one a node. All pushes go at once and meet at the servers' links
/// (incast), all pulls leave them at once: 2 (alpha + (n-1) ceil(e/p) s/B). Throws InputError for
/// fewer than 1 or more than n servers.
std::unique_ptr<Schedule> make_parameter_server(const CollectiveCall& call,
                                                const Participants& who);

}  // namespace gradwire
