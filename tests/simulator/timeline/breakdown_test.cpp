#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {
namespace {

Interval compute(double start, double end, double work) {
  Interval interval;
  interval.activity = Activity::kCompute;
  interval.start = Seconds{start};
  interval.end = Seconds{end};
  interval.work = Seconds{work};
  return interval;
}

Interval communication(double start, double end, double waiting, double latency) {
  Interval interval;
  interval.activity = Activity::kCommunication;
  interval.start = Seconds{start};
  interval.end = Seconds{end};
  interval.waiting = Seconds{waiting};
  interval.latency = Seconds{latency};
  return interval;
}

Breakdown breakdown(std::vector<Interval> intervals) {
  Timeline timeline;
  timeline.intervals = std::move(intervals);
  sort_intervals(timeline.intervals);
  return breakdown_of(timeline, 0);
}

TEST(Breakdown, SplitsAnExposedCollectiveIntoWaitingLatencyAndBytes) {
  // Compute to 6 (5 of work, 1 of slow-down). The collective begins at 2, waits 6 for other ranks
  // (until 8) and takes 4 more, 1 of it latency: exposed are 2 of waiting, 1 of latency, 3 of
  // bytes.
  const Breakdown parts = breakdown({compute(0, 6, 5), communication(2, 12, 6, 1)});
  EXPECT_DOUBLE_EQ(parts.compute.count(), 5);
  EXPECT_DOUBLE_EQ(parts.overlap_slowdown.count(), 1);
  EXPECT_DOUBLE_EQ(parts.waiting.count(), 2);
  EXPECT_DOUBLE_EQ(parts.exposed_latency.count(), 1);
  EXPECT_DOUBLE_EQ(parts.exposed_bandwidth.count(), 3);
  EXPECT_DOUBLE_EQ(parts.total().count(), 12);
}

TEST(Breakdown, ChargesOfAPartlyHiddenCollectiveOnlyWhatOutlastsTheCompute) {
  // The collective takes 8 (2 to 10), a quarter of it latency; 4 of it (6 to 10) are exposed.
  const Breakdown parts = breakdown({compute(0, 6, 6), communication(2, 10, 0, 2)});
  EXPECT_DOUBLE_EQ(parts.exposed_latency.count(), 1);
  EXPECT_DOUBLE_EQ(parts.exposed_bandwidth.count(), 3);
  EXPECT_DOUBLE_EQ(parts.waiting.count(), 0);
}

TEST(Breakdown, ExposesNothingOfACollectiveThatEndsInsideTheCompute) {
  const Breakdown parts = breakdown({compute(0, 6, 6), communication(2, 6, 1, 2)});
  EXPECT_EQ(parts.exposed().count(), 0.0);
  EXPECT_DOUBLE_EQ(parts.total().count(), 6);
}

TEST(Breakdown, CountsAGapBetweenComputeOpsAsWaiting) {
  const Breakdown parts = breakdown({compute(0, 2, 2), compute(5, 6, 1)});
  EXPECT_DOUBLE_EQ(parts.waiting.count(), 3);
  EXPECT_DOUBLE_EQ(parts.total().count(), 6);
}

TEST(Breakdown, OfARankThatTheTimelineDoesNotHoldIsOurBug) {
  Timeline timeline;
  timeline.intervals = {compute(0, 1, 1)};
  EXPECT_THROW((void)breakdown_of(timeline, 3), BugError);
}

TEST(SortIntervals, OrdersByRankThenStartThenOp) {
  std::vector<Interval> intervals(3);
  intervals[0].rank = 1;
  intervals[1].op = 2;
  intervals[2].op = 1;
  sort_intervals(intervals);
  EXPECT_EQ(intervals[0].op, 1);
  EXPECT_EQ(intervals[1].op, 2);
  EXPECT_EQ(intervals[2].rank, 1);
}

}  // namespace
}  // namespace gradwire
