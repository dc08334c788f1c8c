// Compute slows while its rank communicates, and only then: examples worked out by hand, by every
// engine.
#include <gtest/gtest.h>

#include <stdexcept>

#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/timeline/iteration_result.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

// Two ranks, no latency, 10 Gbps: 2 rounds of half the elements, 3.2 ns an element, so that these
// take 4 ms.
constexpr std::int64_t kFourMilliseconds = 1'250'000;
constexpr double kExact = 1e-8;  // seconds; SimGrid's dates are good to a few nanoseconds

Cluster two_ranks() { return test::flat_cluster(2, 10e9, 0.0); }

const Interval& interval_of(const Timeline& timeline, int rank, const std::string& label) {
  for (const Interval& interval : timeline.intervals) {
    if (interval.rank == rank && interval.label == label) return interval;
  }
  throw std::runtime_error("no interval " + label);
}

class OverlapSlowdown : public testing::TestWithParam<test::NamedEngine> {};

TEST_P(OverlapSlowdown, SlowsTheOverlappedPartOfAComputeOpAndNotTheRest) {
  // C0 0..1. A0 1..5. C1 (10 ms): 4 ms beside A0 do 4 / 1.25 = 3.2 ms of work, 6.8 are left at 5:
  // it ends at 11.8. A1 11.8..15.8.
  const Plan plan =
      test::training_plan(2, {{1e-3, kFourMilliseconds}, {10e-3, kFourMilliseconds}}, 1.25);
  const Timeline timeline = GetParam().play(plan, two_ranks(), {{0, 1}});
  for (const int rank : {0, 1}) {
    EXPECT_NEAR(interval_of(timeline, rank, "C0").end.count(), 1e-3, kExact);
    EXPECT_NEAR(interval_of(timeline, rank, "A0").end.count(), 5e-3, kExact);
    EXPECT_NEAR(interval_of(timeline, rank, "C1").end.count(), 11.8e-3, kExact);
    EXPECT_NEAR(interval_of(timeline, rank, "A1").end.count(), 15.8e-3, kExact);
  }
  const Breakdown parts = breakdown_of(timeline, timeline.last_rank);
  EXPECT_NEAR(parts.compute.count(), 11e-3, kExact);
  EXPECT_NEAR(parts.overlap_slowdown.count(), 0.8e-3, kExact);
  EXPECT_NEAR(parts.exposed_bandwidth.count(), 4e-3, kExact);
  EXPECT_NEAR(parts.exposed_latency.count(), 0.0, kExact);
  EXPECT_NEAR(parts.waiting.count(), 0.0, kExact);
}

TEST_P(OverlapSlowdown, SlowsWhollyAComputeOpThatEndsBesideTheCollective) {
  // C1 (2 ms) takes 2.5 beside A0: 1..3.5. A1 waits for A0 on the stream: 5..9.
  const Plan plan =
      test::training_plan(2, {{1e-3, kFourMilliseconds}, {2e-3, kFourMilliseconds}}, 1.25);
  const Timeline timeline = GetParam().play(plan, two_ranks(), {});
  EXPECT_NEAR(interval_of(timeline, 0, "C1").end.count(), 3.5e-3, kExact);
  EXPECT_NEAR(interval_of(timeline, 0, "A1").start.count(), 5e-3, kExact);
  EXPECT_NEAR(timeline.end.count(), 9e-3, kExact);
}

TEST_P(OverlapSlowdown, OfARankBeginsWhenItEntersTheCollectiveAndWaitsForOthers) {
  // Rank 1 computes three times as long. Rank 0: C0 0..1, A0 1..7 (rank 1 comes at 3, then 4 ms),
  // C1 (10 ms): 6 ms beside A0 do 4.8, 5.2 are left: 12.2. Rank 1: C0 0..3, A0 3..7, C1 (30 ms): 4
  // ms beside A0 do 3.2, 26.8 are left: 33.8. A1 33.8..37.8.
  const Plan plan = test::training_plan(2, {{1e-3, kFourMilliseconds}, {10e-3, kFourMilliseconds}},
                                        1.25, {1.0, 3.0});
  const Timeline timeline = GetParam().play(plan, two_ranks(), {{0, 1}});
  EXPECT_NEAR(interval_of(timeline, 0, "A0").start.count(), 1e-3, kExact);
  EXPECT_NEAR(interval_of(timeline, 0, "A0").waiting.count(), 2e-3, kExact);
  EXPECT_NEAR(interval_of(timeline, 0, "A0").end.count(), 7e-3, kExact);
  EXPECT_NEAR(interval_of(timeline, 0, "C1").end.count(), 12.2e-3, kExact);
  EXPECT_NEAR(interval_of(timeline, 1, "A0").waiting.count(), 0.0, kExact);
  EXPECT_NEAR(interval_of(timeline, 1, "A0").end.count(), 7e-3, kExact);
  EXPECT_NEAR(interval_of(timeline, 1, "C1").end.count(), 33.8e-3, kExact);
  EXPECT_NEAR(timeline.end.count(), 37.8e-3, kExact);
}

TEST_P(OverlapSlowdown, OfOneChangesNoComputeOp) {
  const Plan plan =
      test::training_plan(2, {{1e-3, kFourMilliseconds}, {10e-3, kFourMilliseconds}}, 1.0);
  const Timeline timeline = GetParam().play(plan, two_ranks(), {});
  EXPECT_NEAR(interval_of(timeline, 0, "C1").end.count(), 11e-3, kExact);
  EXPECT_NEAR(breakdown_of(timeline, 0).overlap_slowdown.count(), 0.0, kExact);
}

TEST_P(OverlapSlowdown, LastsOverSeveralCollectivesInARowBesideOneComputeOp) {
  // C0 0..1, C1 0 ms, C2 10 ms; A0 1..5, A1 5..9: C2 does 8 / 1.25 = 6.4 until 9, ends at 12.6.
  const Plan plan = test::training_plan(
      2, {{1e-3, kFourMilliseconds}, {0.0, kFourMilliseconds}, {10e-3, 2}}, 1.25);
  const Timeline timeline = GetParam().play(plan, two_ranks(), {});
  EXPECT_NEAR(interval_of(timeline, 0, "C2").end.count(), 12.6e-3, kExact);
}

INSTANTIATE_TEST_SUITE_P(Engines, OverlapSlowdown, testing::ValuesIn(test::every_engine()),
                         test::engine_name);

}  // namespace
}  // namespace gradwire
