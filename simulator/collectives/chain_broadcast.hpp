#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Bytes of a pipeline chunk of the broadcast chain: 512 KiB, assumed (the order of NCCL's chunks
/// of its Simple protocol, recalled).
inline constexpr Bytes kBroadcastChunk{std::int64_t{512} * 1024};

/// Rank 0's buffer runs along 0 -> 1 -> ... -> n-1 in chunks of whole elements, at most
/// kBroadcastChunk each: with c chunks of e elements of s bytes (n-2+c) alpha +
/// ((n-2) ceil(e/c) + e) s/B, which is (n-2+c)(alpha + b/(cB)) where c divides e.
std::unique_ptr<Schedule> make_chain_broadcast(const CollectiveCall& call, int ranks);

}  // namespace gradwire
