#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "simulator/questions/timeline_view.hpp"
#include "simulator/report/timeline_slices.hpp"

namespace gradwire {

/// A bucket as a slice. Those of one rank never overlap.
struct BucketSlice {
  const BucketFill* fill = nullptr;
  Nanoseconds start{0};
  Nanoseconds end{0};
};

/// A stop of a flow as an arrow touches it: inside a slice.
struct FlowPoint {
  enum class Part { kStart, kStep, kEnd };

  std::size_t flow = 0;  ///< unique; every flow has one start and, not in front of it, one end
  Part part = Part::kStart;
  int rank = 0;
  std::optional<Track> track;  ///< absent: the rank's buckets
  Nanoseconds time{0};
};

/// The buckets of ranks below `ranks`, in the order of GradientFlows::buckets; one that begins
/// before the one in front of it ends is cut to begin there.
std::vector<BucketSlice> make_bucket_slices(const GradientFlows& flows, int ranks);

/// The flows of `view` on ranks below `ranks`, through its `slices` and `buckets` (made for the
/// same ranks), flow by flow. Where slices were merged a flow goes through the merged one; one that
/// would stay inside a single slice is left out.
std::vector<FlowPoint> make_flow_points(const TimelineView& view,
                                        const std::vector<TimelineSlice>& slices,
                                        const std::vector<BucketSlice>& buckets, int ranks);

}  // namespace gradwire
