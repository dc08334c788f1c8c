#pragma once

#include "simulator/gloo/gloo_host.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// Backward pass plus synchronisation where DDP's collectives are Gloo's over TCP, instead of the
/// NCCL-like ones of the other estimators. Equal ranks, one GPU a node; see docs/model.md.
///
/// A rank's autograd thread computes, and copies (or casts) each bucket when it is full; up to
/// `collectives_at_once` all-reduces then share the rank's link evenly, each a pass of
/// reduce-scatter and one of all-gather in Gloo's segments; the thread copies each result back, in
/// order. Copies, casts, additions and the bytes sent take time of the cores that all ranks share:
/// a pass runs at the slower of link and cores. The links' rate is payload. Uneven ranks take what
/// the slowest takes. A scheme that is no cast runs in a hook: after the backward pass or, where
/// overlapped, bucket by bucket; its collectives one after the other; what follows a transfer
/// disturbs neither network nor backward pass.
///
/// Throws InputError as `check_scenario`, for several GPUs a node, for a second job, and for a
/// scheme with other collectives than all-reduce and all-gather.
Seconds estimate_gloo(const Scenario& scenario, const GlooHost& host);

}  // namespace gradwire
