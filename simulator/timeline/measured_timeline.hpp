#pragma once

#include <cstdint>

#include "simulator/timeline/timeline.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// The one rank of `trace` in the backward pass `backward`, as recorded on `device`: its kernels,
/// those of the stream that works longest as compute, the others beside it, and the communication
/// kernels of the same iteration that start with it or later, labelled by their collective where
/// the trace tells. Times count from the start of the pass. How long a collective waits for other
/// ranks a trace of one rank does not tell.
Timeline measured_timeline(const Trace& trace, const BackwardMark& backward, std::int32_t device);

}  // namespace gradwire
