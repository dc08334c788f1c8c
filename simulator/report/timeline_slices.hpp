#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// One slice on a track of a timeline view. Slices of one track never overlap.
struct TimelineSlice {
  enum class Kind { kCompute, kEncode, kDecode, kCommunication, kWaiting, kHost, kMerged };

  Kind kind = Kind::kCompute;
  int rank = 0;
  Track track = Track::kCompute;
  Nanoseconds start{0};
  Nanoseconds end{0};
  const Interval* interval = nullptr;  ///< what it shows; absent when merged
  std::size_t merged = 1;              ///< slices that this one stands for
};

/// Slices with what it took to have no more of them.
struct TimelineSlices {
  std::vector<TimelineSlice> slices;  ///< sorted by start, then end, rank, track
  std::size_t merged = 0;             ///< that no longer stand alone
  Nanoseconds shorter_than{0};        ///< what was merged is shorter than this; 0 for nothing
};

/// The slices of `timeline`. A communication's wait for other ranks is a slice of its own.
/// Intervals that overlap on a track are put one after the other. While there are more than `limit`
/// slices, neighbours on a track that are shorter than a threshold (1 us, doubled each time) become
/// one. The timeline must outlive the result.
TimelineSlices make_timeline_slices(const Timeline& timeline, std::size_t limit);

}  // namespace gradwire
