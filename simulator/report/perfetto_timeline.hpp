#pragma once

#include <iosfwd>

#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// Slices that a timeline file holds at most, per-track merges aside. About 150 bytes each.
inline constexpr int kMaxTimelineSlices = 200'000;

/// Writes `timeline` in the Chrome trace-event format (docs/formats/timeline.md), as Perfetto and
/// chrome://tracing open it: a process a rank, threads "compute" and "communication", with
/// overlapped compression also "host" and "side", slices sorted by time, microseconds with three
/// decimals.
void write_perfetto_timeline(const Timeline& timeline, std::ostream& out);

}  // namespace gradwire
