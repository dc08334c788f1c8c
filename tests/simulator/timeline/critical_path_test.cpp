#include "simulator/timeline/critical_path.hpp"

#include <gtest/gtest.h>

#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

/// An interval of `op`, whatever kind of op that is in `plan`.
Interval played(const Plan& plan, int rank, int op, double start, double end) {
  const Op& of_plan = plan.ops[static_cast<std::size_t>(op)];
  Interval interval;
  interval.rank = rank;
  interval.op = op;
  interval.label = of_plan.label;
  interval.start = Seconds{start};
  interval.end = Seconds{end};
  interval.work = of_plan.work;
  if (of_plan.collective) interval.activity = Activity::kCommunication;
  if (of_plan.stream == Stream::kHost) interval.activity = Activity::kHost;
  if (of_plan.task == DeviceTask::kEncode) interval.activity = Activity::kEncode;
  return interval;
}

Timeline timeline_of(int workers, int last_rank, std::vector<Interval> intervals) {
  Timeline timeline;
  timeline.workers = workers;
  timeline.last_rank = last_rank;
  timeline.intervals = std::move(intervals);
  for (const Interval& interval : timeline.intervals) {
    timeline.end = std::max(timeline.end, interval.end);
  }
  return timeline;
}

/// "rank 1 C0 0-12; ..."
std::string text_of(const CriticalPath& path) {
  std::string text;
  for (const PathSegment& segment : path.segments) {
    text += "rank " + std::to_string(segment.rank) + " " + segment.label + " " +
            std::to_string(std::lround(segment.start.count())) + "-" +
            std::to_string(std::lround(segment.end.count())) + "; ";
  }
  return text;
}

TEST(CriticalPath, FollowsWhatAnOpWaitedForLongest) {
  // C0, A0, C1, A1; the network is busy from 10 on without a pause, so C1 does not matter.
  const Plan plan = test::training_plan(2, {{10, 100}, {5, 100}});
  const Timeline timeline = timeline_of(2, 0,
                                        {played(plan, 0, 0, 0, 10), played(plan, 0, 1, 10, 30),
                                         played(plan, 0, 2, 10, 15), played(plan, 0, 3, 30, 50)});
  const CriticalPath path = critical_path_of(plan, timeline);
  EXPECT_EQ(text_of(path), "rank 0 C0 0-10; rank 0 A0 10-30; rank 0 A1 30-50; ");
  EXPECT_EQ(path.segments[0].cause, Cause::kStart);
  EXPECT_EQ(path.segments[1].cause, Cause::kDependency);
  EXPECT_EQ(path.segments[1].behind, "C0");
  EXPECT_EQ(path.segments[2].cause, Cause::kStreamOrder);
  EXPECT_EQ(path.segments[2].behind, "A0");
}

TEST(CriticalPath, GoesOnWithTheRankThatACollectiveWaitedFor) {
  const Plan plan = test::training_plan(2, {{10, 100}});
  const Timeline timeline = timeline_of(2, 0,
                                        {played(plan, 0, 0, 0, 10), played(plan, 0, 1, 10, 20),
                                         played(plan, 1, 0, 0, 12), played(plan, 1, 1, 12, 20)});
  const CriticalPath path = critical_path_of(plan, timeline);
  EXPECT_EQ(text_of(path), "rank 1 C0 0-12; rank 0 A0 12-20; ");
  EXPECT_EQ(path.segments[1].last_to_arrive, 1);
  EXPECT_FALSE(path.segments[0].last_to_arrive);
}

TEST(CriticalPath, ARankThatArrivesAfterTheEndWasNotWaitedFor) {
  // The first rank of a chain is done before the last has come.
  const Plan plan = test::training_plan(2, {{10, 100}});
  const Timeline timeline = timeline_of(2, 0,
                                        {played(plan, 0, 0, 0, 10), played(plan, 0, 1, 10, 20),
                                         played(plan, 1, 0, 0, 25), played(plan, 1, 1, 25, 26)});
  EXPECT_EQ(text_of(critical_path_of(plan, timeline)), "rank 0 C0 0-10; rank 0 A0 10-20; ");
}

TEST(CriticalPath, LeadsThroughTheHostThreadWhereTheDeviceWaitsForIt) {
  Plan plan;
  plan.ops.push_back({Stream::kHost, "launch", {}, Seconds{4}, nullptr});
  plan.ops.push_back({Stream::kCompute, "C", {}, Seconds{3}, nullptr});
  plan.ops.push_back({Stream::kCompute, "E", {0}, Seconds{2}, nullptr, DeviceTask::kEncode});
  // The encoding takes 3 for its 2 of work.
  const Timeline timeline = timeline_of(
      1, 0, {played(plan, 0, 0, 0, 4), played(plan, 0, 1, 0, 3), played(plan, 0, 2, 4, 7)});
  const CriticalPath path = critical_path_of(plan, timeline);
  EXPECT_EQ(text_of(path), "rank 0 launch 0-4; rank 0 E 4-7; ");
  EXPECT_EQ(path.segments[1].behind_activity, Activity::kHost);
  const Breakdown parts = breakdown_of(path);
  EXPECT_DOUBLE_EQ(parts.host.count(), 4);
  EXPECT_DOUBLE_EQ(parts.encode.count(), 2);
  EXPECT_DOUBLE_EQ(parts.overlap_slowdown.count(), 1);
  EXPECT_DOUBLE_EQ(parts.total().count(), 7);
}

TEST(CriticalPath, SplitsCollectivesIntoLatencyAndBytes) {
  const Plan plan = test::training_plan(2, {{10, 100}});
  Interval collective = played(plan, 0, 1, 10, 20);
  collective.latency = Seconds{3};
  const Breakdown parts = breakdown_of(
      critical_path_of(plan, timeline_of(2, 0, {played(plan, 0, 0, 0, 10), collective})));
  EXPECT_DOUBLE_EQ(parts.compute.count(), 10);
  EXPECT_DOUBLE_EQ(parts.exposed_latency.count(), 3);
  EXPECT_DOUBLE_EQ(parts.exposed_bandwidth.count(), 7);
}

TEST(CriticalPath, LeavesOutOpsOfNoLength) {
  const Plan plan = test::training_plan(2, {{0, 100}});
  const Timeline timeline =
      timeline_of(2, 0, {played(plan, 0, 0, 0, 0), played(plan, 0, 1, 0, 10)});
  EXPECT_EQ(text_of(critical_path_of(plan, timeline)), "rank 0 A0 0-10; ");
}

}  // namespace
}  // namespace gradwire
