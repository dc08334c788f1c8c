#include "simulator/report/timeline_slices.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace gradwire {
namespace {

constexpr double kUs = 1e-6;

Interval compute(int rank, int op, double start_us, double end_us) {
  return {rank,
          op,
          Activity::kCompute,
          "C" + std::to_string(op),
          Seconds{start_us * kUs},
          Seconds{end_us * kUs},
          Seconds{(end_us - start_us) * kUs}};
}

Interval communication(int rank, int op, double start_us, double end_us, double waiting_us) {
  return {rank,
          op,
          Activity::kCommunication,
          "A" + std::to_string(op),
          Seconds{start_us * kUs},
          Seconds{end_us * kUs},
          Seconds{0},
          Seconds{waiting_us * kUs}};
}

Timeline timeline_of(std::vector<Interval> intervals) {
  Timeline timeline;
  for (const Interval& interval : intervals) timeline.end = std::max(timeline.end, interval.end);
  timeline.intervals = std::move(intervals);
  return timeline;
}

void expect_no_overlap(const std::vector<TimelineSlice>& slices) {
  std::map<std::pair<int, Track>, Nanoseconds> ends;
  Nanoseconds before{0};
  for (const TimelineSlice& slice : slices) {
    Nanoseconds& end = ends[{slice.rank, slice.track}];
    ASSERT_GE(slice.start, end);
    ASSERT_GE(slice.end, slice.start);
    ASSERT_GE(slice.start, before);
    end = slice.end;
    before = slice.start;
  }
}

TEST(TimelineSlices, TheWaitOfACommunicationIsASliceOfItsOwn) {
  const Timeline timeline = timeline_of({communication(0, 1, 10, 50, 15)});
  const auto slices = make_timeline_slices(timeline, 100).slices;
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].kind, TimelineSlice::Kind::kWaiting);
  EXPECT_EQ(slices[0].start, Nanoseconds{10'000});
  EXPECT_EQ(slices[0].end, Nanoseconds{25'000});
  EXPECT_EQ(slices[1].kind, TimelineSlice::Kind::kCommunication);
  EXPECT_EQ(slices[1].start, Nanoseconds{25'000});
  EXPECT_EQ(slices[1].end, Nanoseconds{50'000});
}

TEST(TimelineSlices, AreSortedByStartAcrossRanksAndTracks) {
  const Timeline timeline =
      timeline_of({compute(0, 0, 0, 10), compute(0, 2, 10, 30), communication(0, 1, 10, 40, 0),
                   compute(1, 0, 0, 12), communication(1, 1, 12, 40, 0)});
  const auto slices = make_timeline_slices(timeline, 100).slices;
  EXPECT_EQ(slices.size(), 5U);
  expect_no_overlap(slices);
}

TEST(TimelineSlices, IntervalsThatOverlapOnATrackAreSerialised) {
  const Timeline timeline =
      timeline_of({compute(0, 0, 0, 10), compute(0, 1, 5, 7), compute(0, 2, 9.5, 20)});
  const auto slices = make_timeline_slices(timeline, 100).slices;
  expect_no_overlap(slices);
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[2].start, Nanoseconds{10'000});
  EXPECT_EQ(slices[2].end, Nanoseconds{20'000});
}

TEST(TimelineSlices, ShortNeighboursMergeOnlyAboveTheLimit) {
  // Ten computes of 0.5 us, then one of 100 us.
  std::vector<Interval> intervals;
  for (int i = 0; i < 10; ++i) intervals.push_back(compute(0, i, i * 0.5, i * 0.5 + 0.5));
  intervals.push_back(compute(0, 10, 5, 105));
  const Timeline timeline = timeline_of(intervals);
  EXPECT_EQ(make_timeline_slices(timeline, 11).slices.size(), 11U);
  EXPECT_EQ(make_timeline_slices(timeline, 11).merged, 0U);
  EXPECT_EQ(make_timeline_slices(timeline, 11).shorter_than, Nanoseconds{0});
  const TimelineSlices made = make_timeline_slices(timeline, 10);
  EXPECT_EQ(made.merged, 10U);
  EXPECT_EQ(made.shorter_than, Nanoseconds{1000});  // the first threshold
  const auto& merged = made.slices;
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].kind, TimelineSlice::Kind::kMerged);
  EXPECT_EQ(merged[0].merged, 10U);
  EXPECT_EQ(merged[0].end, Nanoseconds{5'000});
  EXPECT_EQ(merged[1].kind, TimelineSlice::Kind::kCompute);
}

TEST(TimelineSlices, EncodeAndDecodeOfTheComputeStreamHaveATrackOfTheirOwn) {
  Interval encode = compute(0, 1, 10, 12);
  encode.activity = Activity::kEncode;
  Interval beside = compute(0, 2, 11, 15);
  beside.activity = Activity::kDecode;
  beside.side_stream = true;
  const Timeline timeline = timeline_of({compute(0, 0, 0, 10), encode, beside});
  const auto slices = make_timeline_slices(timeline, 100).slices;
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].track, Track::kCompute);
  EXPECT_EQ(slices[1].track, Track::kEncodeDecode);
  EXPECT_EQ(slices[1].kind, TimelineSlice::Kind::kEncode);
  EXPECT_EQ(slices[2].track, Track::kSide);
  EXPECT_EQ(slices[2].kind, TimelineSlice::Kind::kDecode);
}

TEST(TimelineSlices, TheLimitHoldsWhateverTheLengths) {
  std::vector<Interval> intervals;
  for (int i = 0; i < 1000; ++i) intervals.push_back(compute(0, i, i * 300.0, i * 300.0 + 290.0));
  const Timeline timeline = timeline_of(intervals);
  const auto slices = make_timeline_slices(timeline, 10).slices;
  EXPECT_LE(slices.size(), 10U);
  std::size_t shown = 0;
  for (const TimelineSlice& slice : slices) shown += slice.merged;
  EXPECT_EQ(shown, 1000U);
  expect_no_overlap(slices);
}

}  // namespace
}  // namespace gradwire
