#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "simulator/questions/timeline_view.hpp"

namespace gradwire {

/// What a timeline file holds at most. About 200 bytes each.
struct TimelineLimits {
  std::size_t slices = 200'000;       ///< of the simulation and of what was measured, each
  std::size_t marks = 50'000;         ///< gradients, buckets and stops of flows
  std::size_t link_changes = 50'000;  ///< of counters
};

/// What the limits took from a timeline file.
struct TimelineCuts {
  std::size_t merged = 0;       ///< slices that stand in a merged one
  Nanoseconds merged_below{0};  ///< the length below which slices were merged; 0 for none
  std::size_t ranks_without_marks = 0;
  std::size_t links = 0;  ///< whose use is not shown
};

/// Writes `view` in the Chrome trace-event format (docs/formats/timeline.md), as Perfetto and
/// chrome://tracing open it: a process a rank, one for the links of the nodes and one for what was
/// measured; events sorted by time, microseconds with three decimals. Marks are shown of whole
/// ranks, smallest first, while they keep inside the limit, and so are links.
TimelineCuts write_perfetto_timeline(const TimelineView& view, std::ostream& out,
                                     const TimelineLimits& limits = {});

/// What was cut as a sentence, without its full stop; empty when nothing was.
std::string describe(const TimelineCuts& cuts);

}  // namespace gradwire
