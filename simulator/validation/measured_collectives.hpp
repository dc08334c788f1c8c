#pragma once

#include "simulator/validation/play_set.hpp"

namespace gradwire {

/// Sets measured collectives beside ours on the networks that the set describes. One case a
/// collective. Models: "formula", "recurrence" and "simgrid" play the algorithm that is fastest by
/// the network's lines, with what a message of its size takes; "as NCCL chooses" is the formula for
/// the algorithm that NCCL's tuning model takes (nccl_selection.hpp); "one line" that of a ring on
/// the line of the largest messages, which is what `calibrate -o` puts into a cluster file.
/// Requires set.collectives.
///
/// Latencies are means over the messages of a round (LatencyMode::kMean), for in NCCL a chunk waits
/// for the links on its own way only. A double tree has its latency once a hop, 2(g-1 + floor(log2
/// nodes)) of them (src/graph/tuning.cc of NVIDIA/nccl at b6475625), for the chunks of its pipeline
/// follow each other without waiting for it.
SetOutcome play_measured_collectives(const ValidationSet& set);

}  // namespace gradwire
