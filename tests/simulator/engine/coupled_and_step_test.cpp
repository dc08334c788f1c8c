// Recurrence rank by rank, simgrid coupled and simgrid step play the same plan within 1e-4, but for
// ranks that come at different times to a ring of different links.
#include <gtest/gtest.h>

#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr double kTolerance = 1e-4;  // relative

/// A ring all-reduce of 25 MB: chunks so large that an element more or less is below the tolerance.
Plan all_reduce_25_megabytes(int ranks, LatencyMode mode) {
  return make_collective_plan(
      make_schedule({CollectiveKind::kAllReduce, Elements{6'250'000}, Bytes{4}}, ranks), mode);
}

void expect_agreement(const Plan& plan, const Cluster& cluster) {
  const double recurrence = play_recurrence_rank_by_rank(plan, cluster, {}).end.count();
  for (const SimgridSettings settings :
       {SimgridSettings{SimgridMode::kCoupled, true}, SimgridSettings{SimgridMode::kCoupled, false},
        SimgridSettings{SimgridMode::kStep, false}}) {
    const double simgrid = play_simgrid(plan, cluster, {}, settings).end.count();
    EXPECT_NEAR(simgrid, recurrence, kTolerance * recurrence)
        << (settings.mode == SimgridMode::kStep ? "step" : "coupled") << ", " << plan.workers
        << " ranks";
  }
}

TEST(MixedRing, EnginesAgreeOnEveryRankCountAroundTheNodeBoundaries) {
  // 24 nodes of 4: the ring has links inside a node (400 Gbps, 3 us) and NICs (10 Gbps, 20 us).
  const Cluster cluster = test::mixed_cluster(24, 4);
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64, 95, 96}) {
    for (const LatencyMode mode : {LatencyMode::kBlocking, LatencyMode::kMean}) {
      expect_agreement(all_reduce_25_megabytes(n, mode), cluster);
    }
  }
}

TEST(MixedRing, IsAsFastAsItsNicsAndInsideANodeAsItsLinks) {
  const Cluster cluster = test::mixed_cluster(24, 4);
  // 96 ranks: 190 (20 us + ceil(6.25e6 / 96) 4 B at 10 Gbps) = 190 (20 us + 65105 * 3.2 ns).
  const double across = 190 * (20e-6 + 65105 * 3.2e-9);
  const Plan all = all_reduce_25_megabytes(96, LatencyMode::kBlocking);
  EXPECT_NEAR(play_recurrence(all, cluster, {}).end.count(), across, kTolerance * across);
  // 4 ranks of one node: 6 (3 us + 1562500 * 4 B at 400 Gbps) = 6 (3 us + 1562500 * 0.08 ns).
  const double inside = 6 * (3e-6 + 1562500 * 0.08e-9);
  const Plan node = all_reduce_25_megabytes(4, LatencyMode::kBlocking);
  EXPECT_NEAR(play_recurrence(node, cluster, {}).end.count(), inside, 1e-9 * inside);
}

TEST(UnevenRanks, ACollectiveEndsOneDurationAfterTheLastRankArrives) {
  // Rank i arrives at (1 + i/23) * 10 ms, the last at 20 ms; 24 ranks, 25 MB:
  // 46 (20 us + 260417 * 3.2 ns) = 39.2534 ms more.
  std::vector<double> factors;
  for (int rank = 0; rank < 24; ++rank) factors.push_back(1 + rank / 23.0);
  const Plan plan = test::training_plan(24, {{10e-3, 6'250'000}}, 1.0, factors);
  const Cluster cluster = test::flat_cluster(24, 10e9, 20e-6);
  const double expected = 20e-3 + 46 * (20e-6 + 260417 * 3.2e-9);
  EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, kTolerance * expected);
  expect_agreement(plan, cluster);
}

/// Distinct factors in no particular order between 1 and 1.2.
std::vector<double> scattered_factors(int ranks) {
  std::vector<double> factors;
  for (int rank = 0; rank < ranks; ++rank) factors.push_back(1 + 0.2 * (rank * 37 % ranks) / ranks);
  return factors;
}

TEST(UnevenRanks, EnginesAgreeOnBucketsBesideComputeThatTheySlow) {
  const std::vector<test::BucketOfPlan> buckets = {
      {4e-3, 262'144}, {7e-3, 6'550'000}, {30e-3, 6'600'000}, {2e-3, 1'000'000}, {15e-3, 500'000}};
  for (const int n : {2, 5, 24, 96}) {
    const Plan plan = test::training_plan(n, buckets, 1.07, scattered_factors(n));
    expect_agreement(plan, test::flat_cluster(n, 10e9, 20e-6));
  }
}

TEST(UnevenRanksOnUnevenLinks, RecurrenceIsTheStepModeAndTheCoupledOneIsNeverEarlier) {
  const std::vector<test::BucketOfPlan> buckets = {
      {4e-3, 262'144}, {7e-3, 6'550'000}, {30e-3, 6'600'000}, {2e-3, 1'000'000}, {15e-3, 500'000}};
  const Cluster cluster = test::mixed_cluster(24, 4);
  for (const int n : {2, 3, 5, 9, 24, 96}) {
    const Plan plan = test::training_plan(n, buckets, 1.07, scattered_factors(n));
    const double step = play_simgrid(plan, cluster, {}, {SimgridMode::kStep, false}).end.count();
    const double loop = play_recurrence_rank_by_rank(plan, cluster, {}).end.count();
    const double coupled = play_simgrid(plan, cluster, {}, SimgridSettings{}).end.count();
    EXPECT_NEAR(loop, step, kTolerance * step) << n << " ranks";
    EXPECT_GE(coupled, (1 - kTolerance) * step) << n << " ranks";
  }
}

TEST(UnevenRanksOnUnevenLinks, TheCoupledModeBeginsWithTheLastRankWhileMessagesElsewhereGoAhead) {
  // 5 ranks on nodes of 4, edges 3->4 and 4->0 over NICs. Rank 2 comes at 100 ms, long after the
  // others. Its first message goes to rank 3 inside the node; only then, for the 7 rounds that are
  // left, does the slow NIC of rank 3 count, whose first message went ahead. Coupled: 8 rounds at
  // the NIC's pace from 100 ms on. A chunk of 1e6 floats takes 3.2 ms over a NIC, 0.08 ms inside.
  const Plan plan = test::training_plan(5, {{1e-3, 5'000'000}}, 1.0, {1, 1, 100, 1, 1});
  const Cluster cluster = test::mixed_cluster(2, 4);
  const double latency = 8 * 20e-6;
  const double step = 100e-3 + latency + 0.08e-3 + 7 * 3.2e-3;
  const double coupled = 100e-3 + latency + 8 * 3.2e-3;
  EXPECT_NEAR(play_simgrid(plan, cluster, {}, {SimgridMode::kStep, false}).end.count(), step, 1e-8);
  EXPECT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), step, 1e-9);
  EXPECT_NEAR(play_simgrid(plan, cluster, {}, SimgridSettings{}).end.count(), coupled, 1e-8);
}

TEST(EqualRanks, EnginesAgreeOnBucketsBesideComputeThatTheySlow) {
  const std::vector<test::BucketOfPlan> buckets = {
      {4e-3, 262'144}, {7e-3, 6'550'000}, {30e-3, 6'600'000}, {2e-3, 1'000'000}};
  for (const int n : {2, 24, 96}) {
    const Plan plan = test::training_plan(n, buckets, 1.07);
    const Cluster cluster = test::mixed_cluster(24, 4);
    expect_agreement(plan, cluster);
    const double loop = play_recurrence_rank_by_rank(plan, cluster, {}).end.count();
    EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), loop, kTolerance * loop);
  }
}

TEST(EqualRanks, PlayedAsOneAreTheLoopOverRanksWithin1e9OnLinksOfOneSpeed) {
  const std::vector<test::BucketOfPlan> buckets = {
      {4e-3, 96'000}, {7e-3, 6'720'000}, {30e-3, 6'720'000}, {2e-3, 960'000}};
  const Plan plan = test::training_plan(96, buckets, 1.07);
  const Cluster cluster = test::flat_cluster(96, 10e9, 20e-6);
  const double loop = play_recurrence_rank_by_rank(plan, cluster, {}).end.count();
  EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), loop, 1e-9 * loop);
}

}  // namespace
}  // namespace gradwire
