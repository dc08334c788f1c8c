#include "simulator/report/timeline_slices.hpp"

#include <algorithm>
#include <tuple>

namespace gradwire {
namespace {

using Kind = TimelineSlice::Kind;

Kind kind_of(Activity activity) {
  switch (activity) {
    case Activity::kCommunication:
      return Kind::kCommunication;
    case Activity::kHost:
      return Kind::kHost;
    case Activity::kEncode:
      return Kind::kEncode;
    case Activity::kDecode:
      return Kind::kDecode;
    case Activity::kCompute:
      break;
  }
  return Kind::kCompute;
}

std::vector<TimelineSlice> cut_intervals(const Timeline& timeline) {
  std::vector<TimelineSlice> slices;
  for (const Interval& interval : timeline.intervals) {
    const Nanoseconds start = to_nanoseconds(interval.start);
    const Nanoseconds end = to_nanoseconds(interval.end);
    Nanoseconds begun = start;
    if (interval.activity == Activity::kCommunication) {
      begun = std::clamp(to_nanoseconds(interval.start + interval.waiting), start, end);
      if (begun > start) {
        slices.push_back(
            {Kind::kWaiting, interval.rank, Track::kCommunication, start, begun, &interval});
      }
    }
    slices.push_back(
        {kind_of(interval.activity), interval.rank, track_of(interval), begun, end, &interval});
  }
  return slices;
}

void sort_by_track(std::vector<TimelineSlice>& slices) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const TimelineSlice& a, const TimelineSlice& b) {
                     return std::tuple(a.rank, a.track, a.start, a.end) <
                            std::tuple(b.rank, b.track, b.start, b.end);
                   });
}

bool share_track(const TimelineSlice& a, const TimelineSlice& b) {
  return a.rank == b.rank && a.track == b.track;
}

/// Moves starts behind the end of the slice in front.
void serialise(std::vector<TimelineSlice>& slices) {
  for (std::size_t i = 1; i < slices.size(); ++i) {
    if (!share_track(slices[i - 1], slices[i])) continue;
    slices[i].start = std::max(slices[i].start, slices[i - 1].end);
    slices[i].end = std::max(slices[i].end, slices[i].start);
  }
}

void merge_shorter_than(Nanoseconds threshold, std::vector<TimelineSlice>& slices) {
  const auto is_short = [threshold](const TimelineSlice& slice) {
    return slice.kind == Kind::kMerged || slice.end - slice.start < threshold;
  };
  std::vector<TimelineSlice> kept;
  for (const TimelineSlice& slice : slices) {
    const bool joins = !kept.empty() && share_track(kept.back(), slice) && is_short(kept.back()) &&
                       is_short(slice) && slice.start - kept.back().end < threshold;
    if (joins) {
      TimelineSlice& grown = kept.back();
      grown.kind = Kind::kMerged;
      grown.interval = nullptr;
      grown.end = slice.end;
      grown.merged += slice.merged;
    } else {
      kept.push_back(slice);
    }
  }
  slices = std::move(kept);
}

}  // namespace

TimelineSlices make_timeline_slices(const Timeline& timeline, std::size_t limit) {
  TimelineSlices result;
  std::vector<TimelineSlice>& slices = result.slices;
  slices = cut_intervals(timeline);
  sort_by_track(slices);
  serialise(slices);
  const Nanoseconds longest = to_nanoseconds(timeline.end) + Nanoseconds{1};
  for (Nanoseconds threshold{1000}; slices.size() > limit; threshold *= 2) {
    merge_shorter_than(threshold, slices);
    result.shorter_than = threshold;
    if (threshold > longest) break;  // one slice a track is left
  }
  for (const TimelineSlice& slice : slices) {
    if (slice.kind == Kind::kMerged) result.merged += slice.merged;
  }
  std::stable_sort(slices.begin(), slices.end(),
                   [](const TimelineSlice& a, const TimelineSlice& b) {
                     return std::tuple(a.start, a.end, a.rank, a.track) <
                            std::tuple(b.start, b.end, b.rank, b.track);
                   });
  return result;
}

}  // namespace gradwire
