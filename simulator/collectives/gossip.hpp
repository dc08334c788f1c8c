#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// What decentralised SGD does instead of an all-reduce: every rank of a ring swaps its vector with
/// both neighbours, first to the right, then to the left, and averages the three: 2 (alpha + b/B)
/// whatever n above 2, alpha + b/B for n = 2 (Lian et al., "Can Decentralized Algorithms Outperform
/// Centralized Algorithms?", NeurIPS 2017). No rank learns of the others.
std::unique_ptr<Schedule> make_gossip(const CollectiveCall& call, const Participants& who);

}  // namespace gradwire
