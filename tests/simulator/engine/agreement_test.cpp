// The estimators against the closed forms of the collectives, derived again in
// support/closed_forms.hpp.
#include <gtest/gtest.h>

#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr double kAlpha = 20e-6;
constexpr double kBandwidth = 10e9;
constexpr CollectiveKind kKinds[] = {CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                                     CollectiveKind::kReduceScatter, CollectiveKind::kBroadcast};
constexpr std::int64_t kElements[] = {1, 97, 1'000'001, 250'000'000};

std::shared_ptr<const Schedule> schedule_of(CollectiveKind kind, std::int64_t elements, int ranks) {
  return make_schedule({kind, Elements{elements}, Bytes{4}}, ranks);
}

double oracle(const Schedule& schedule) {
  return test::oracle_seconds(schedule.call().kind, schedule.ranks(),
                              schedule.call().elements.count(), kAlpha, kBandwidth);
}

std::string described(const Schedule& schedule) {
  return std::string(name_of(schedule.call().kind)) + " of " +
         std::to_string(schedule.call().elements.count()) + " elements on " +
         std::to_string(schedule.ranks()) + " ranks";
}

TEST(Agreement, RingAllReduceOf100MegabytesOn96RanksTakes162Point13MillisecondsByEveryEngine) {
  // 2 * 95 * (20 us + ceil(25e6 / 96) * 4 B * 8 / 10 Gbps) = 190 * (20 us + 260417 * 3.2 ns) =
  // 162.1335 ms
  const double expected = 190 * (20e-6 + 260417 * 4 * 8 / 10e9);
  EXPECT_NEAR(expected, 162.13e-3, 0.01e-3);
  const Cluster cluster = test::flat_cluster(96, 10e9, 20e-6);
  const auto schedule = schedule_of(CollectiveKind::kAllReduce, 25'000'000, 96);
  const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
  EXPECT_NEAR(schedule->closed_form(Seconds{20e-6}, BitsPerSecond{10e9}).count(), expected,
              1e-9 * expected);
  EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, 1e-9 * expected);
  EXPECT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), expected,
              1e-9 * expected);
  for (const SimgridSettings settings :
       {SimgridSettings{SimgridMode::kCoupled, true}, SimgridSettings{SimgridMode::kCoupled, false},
        SimgridSettings{SimgridMode::kStep, false}}) {
    EXPECT_NEAR(play_simgrid(plan, cluster, {}, settings).end.count(), expected, 1e-4 * expected);
  }
}

class RecurrenceOf : public testing::TestWithParam<CollectiveKind> {};

TEST_P(RecurrenceOf, EveryNFrom2To128IsTheClosedFormWithin1e9WithAndWithoutTheShortCut) {
  for (int n = 2; n <= 128; ++n) {
    const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
    for (const std::int64_t elements : kElements) {
      const auto schedule = schedule_of(GetParam(), elements, n);
      const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
      const double expected = oracle(*schedule);
      ASSERT_NEAR(schedule->closed_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count(),
                  expected, 1e-9 * expected)
          << described(*schedule);
      ASSERT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, 1e-9 * expected)
          << described(*schedule);
      ASSERT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), expected,
                  1e-9 * expected)
          << described(*schedule);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RecurrenceOf, testing::ValuesIn(kKinds));

TEST(CoupledMode, EveryCollectiveOnEveryNFrom2To128IsTheClosedFormWithinOneInAThousand) {
  for (int n = 2; n <= 128; ++n) {
    // One simulation an n: in coupled mode a collective of a row begins when the one before it has
    // ended on all ranks.
    std::vector<std::shared_ptr<const Schedule>> schedules;
    for (const std::int64_t elements : kElements) {
      for (const CollectiveKind kind : kKinds) schedules.push_back(schedule_of(kind, elements, n));
    }
    const Timeline timeline =
        play_simgrid(test::collectives_in_a_row(schedules),
                     test::flat_cluster(n, kBandwidth, kAlpha), {{0}}, SimgridSettings{});
    ASSERT_EQ(timeline.intervals.size(), schedules.size());
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      const double found = (timeline.intervals[i].end - timeline.intervals[i].start).count();
      const double expected = oracle(*schedules[i]);
      ASSERT_NEAR(found, expected, 1e-3 * expected) << described(*schedules[i]);
    }
  }
}

class StepModeOf : public testing::TestWithParam<CollectiveKind> {};

TEST_P(StepModeOf, PowersOfTwoOddAndPrimeNAreTheClosedFormAndTheCoupledModeWithin1e4) {
  for (const int n : {2, 3, 4, 5, 7, 8, 13, 16, 24, 31, 64, 96, 97, 127, 128}) {
    const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
    for (const std::int64_t elements : kElements) {
      // A chain has a message for each of 1908 chunks and each edge: large n once is enough.
      if (GetParam() == CollectiveKind::kBroadcast && elements > 1'000'001 && n > 8) continue;
      const auto schedule = schedule_of(GetParam(), elements, n);
      const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
      const double step = play_simgrid(plan, cluster, {}, {SimgridMode::kStep, false}).end.count();
      const double coupled =
          play_simgrid(plan, cluster, {}, {SimgridMode::kCoupled, true}).end.count();
      const double expected = oracle(*schedule);
      ASSERT_NEAR(step, expected, 1e-3 * expected) << described(*schedule);
      ASSERT_NEAR(step, coupled, 1e-4 * expected) << described(*schedule);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, StepModeOf, testing::ValuesIn(kKinds));

TEST(Agreement, ACollectiveOfOneRankTakesNoTimeByAnyEngine) {
  const Cluster cluster = test::flat_cluster(1, kBandwidth, kAlpha);
  for (const CollectiveKind kind : kKinds) {
    const Plan plan = make_collective_plan(schedule_of(kind, 1'000'001, 1), LatencyMode::kBlocking);
    EXPECT_EQ(play_recurrence(plan, cluster, {}).end.count(), 0.0);
    EXPECT_EQ(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), 0.0);
    for (const SimgridMode mode : {SimgridMode::kCoupled, SimgridMode::kStep}) {
      EXPECT_EQ(play_simgrid(plan, cluster, {}, {mode, true}).end.count(), 0.0);
    }
  }
}

}  // namespace
}  // namespace gradwire
