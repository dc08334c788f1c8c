#pragma once

#include "simulator/validation/play_set.hpp"

namespace gradwire {

/// Sets the start of each all-reduce of real training, counted from the start of its backward pass,
/// beside where DDP's rules put it: its bucket is full and the one before it has ended. That end is
/// taken from the trace, because an NCCL kernel's duration holds waiting for other ranks, of which
/// a trace of one rank tells nothing. One case an all-reduce, for every complete iteration; errors
/// are shares of the backward pass. An iteration whose all-reduces are not the buckets in order is
/// one failed case. The only model is "buckets". Requires set.recorded.
SetOutcome play_recorded_traces(const ValidationSet& set);

}  // namespace gradwire
