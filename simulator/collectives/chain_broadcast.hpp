#pragma once

#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Rank 0's buffer runs along 0 -> 1 -> ... -> n-1 in chunks of whole elements, at most
/// kPipelineChunk each: with c chunks of e elements of s bytes (n-2+c) alpha +
/// ((n-2) ceil(e/c) + e) s/B, which is (n-2+c)(alpha + b/(cB)) where c divides e.
std::unique_ptr<Schedule> make_chain_broadcast(const CollectiveCall& call, const Participants& who);

}  // namespace gradwire
