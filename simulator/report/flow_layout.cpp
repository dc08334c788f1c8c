#include "simulator/report/flow_layout.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gradwire {
namespace {

struct Stretch {
  Nanoseconds start{0};
  Nanoseconds end{0};

  /// The last nanosecond inside: at the end itself the next slice may have begun.
  Nanoseconds last() const { return std::max(start, end - Nanoseconds{1}); }
};

/// Finds the slice that shows an interval.
class SliceFinder {
 public:
  explicit SliceFinder(const std::vector<TimelineSlice>& slices) {
    for (const TimelineSlice& slice : slices) {
      tracks_[{slice.rank, slice.track}].push_back({slice.start, slice.end});
    }
  }

  /// The slice on the track of `interval` that is there at `time`, a time inside the interval.
  std::optional<Stretch> at(const Interval& interval, Nanoseconds time) const {
    const auto track = tracks_.find({interval.rank, track_of(interval)});
    if (track == tracks_.end()) return std::nullopt;
    const auto behind =
        std::upper_bound(track->second.begin(), track->second.end(), time,
                         [](Nanoseconds at, const Stretch& slice) { return at < slice.start; });
    if (behind == track->second.begin()) return std::nullopt;
    return *std::prev(behind);
  }

 private:
  std::map<std::pair<int, Track>, std::vector<Stretch>> tracks_;  // by start
};

Nanoseconds clamped(Nanoseconds time, const Stretch& stretch) {
  return std::clamp(time, stretch.start, stretch.last());
}

/// The points of one flow; the parts are not set yet.
std::vector<FlowPoint> place(const Flow& flow, const Timeline& timeline, const SliceFinder& finder,
                             const std::vector<BucketSlice>& buckets) {
  std::vector<FlowPoint> points;
  std::optional<Nanoseconds> before;  // start of the slice in front
  for (const FlowStop& stop : flow) {
    FlowPoint point;
    Stretch slice;
    if (stop.place == FlowStop::Place::kBucket) {
      slice = {buckets[stop.index].start, buckets[stop.index].end};
      point.rank = buckets[stop.index].fill->rank;
    } else {
      const Interval& interval = timeline.intervals[stop.index];
      const Stretch whole{to_nanoseconds(interval.start), to_nanoseconds(interval.end)};
      const auto found = finder.at(interval, clamped(to_nanoseconds(stop.time), whole));
      if (!found) continue;
      slice = *found;
      point.rank = interval.rank;
      point.track = track_of(interval);
    }
    point.time = clamped(to_nanoseconds(stop.time), slice);
    if (!points.empty()) {
      const bool same = points.back().track == point.track && before == slice.start;
      if (same || point.time < points.back().time) continue;
    }
    before = slice.start;
    points.push_back(point);
  }
  return points;
}

int rank_of(const FlowStop& stop, const TimelineView& view) {
  return stop.place == FlowStop::Place::kBucket ? view.flows.buckets[stop.index].rank
                                                : view.simulated.intervals[stop.index].rank;
}

}  // namespace

std::vector<BucketSlice> make_bucket_slices(const GradientFlows& flows, int ranks) {
  std::vector<BucketSlice> slices;
  for (const BucketFill& fill : flows.buckets) {
    if (fill.rank >= ranks) continue;
    BucketSlice slice{&fill, to_nanoseconds(fill.start), to_nanoseconds(fill.end)};
    if (!slices.empty() && slices.back().fill->rank == fill.rank) {
      slice.start = std::max(slice.start, slices.back().end);
      slice.end = std::max(slice.end, slice.start);
    }
    slices.push_back(slice);
  }
  return slices;
}

std::vector<FlowPoint> make_flow_points(const TimelineView& view,
                                        const std::vector<TimelineSlice>& slices,
                                        const std::vector<BucketSlice>& buckets, int ranks) {
  const SliceFinder finder(slices);
  std::vector<FlowPoint> all;
  std::size_t number = 0;
  for (const Flow& flow : view.flows.flows) {
    if (rank_of(flow.front(), view) >= ranks) continue;
    std::vector<FlowPoint> points = place(flow, view.simulated, finder, buckets);
    if (points.size() < 2) continue;
    for (FlowPoint& point : points) {
      point.flow = number;
      point.part = FlowPoint::Part::kStep;
    }
    points.front().part = FlowPoint::Part::kStart;
    points.back().part = FlowPoint::Part::kEnd;
    all.insert(all.end(), points.begin(), points.end());
    ++number;
  }
  return all;
}

}  // namespace gradwire
