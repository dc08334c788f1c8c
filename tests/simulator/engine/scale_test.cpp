// Thousands of ranks against closed forms, and the engines against each other there.
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

class ManyRanks : public testing::TestWithParam<int> {};

TEST_P(ManyRanks, EveryRingIsTheClosedFormWithin1e9ByRecurrenceWithAndWithoutTheShortCut) {
  const int n = GetParam();
  const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
  for (const CollectiveKind kind :
       {CollectiveKind::kAllReduce, CollectiveKind::kAllGather, CollectiveKind::kReduceScatter}) {
    for (const std::int64_t elements : {std::int64_t{97}, std::int64_t{25'000'000}}) {
      const Plan plan =
          make_collective_plan(make_schedule({kind, Elements{elements}, Bytes{4}}, n),  //
                               LatencyMode::kBlocking);
      const double expected = test::oracle_seconds(kind, n, elements, kAlpha, kBandwidth);
      EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, 1e-9 * expected);
      EXPECT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), expected,
                  1e-9 * expected);
    }
  }
}

TEST_P(ManyRanks, OneRankThatIsLateDelaysTheEndByAllOfIt) {
  // Chunks of 100 elements on every rank: 2 (n-1) (20 us + 100 * 4 B * 8 / 10 Gbps) from where the
  // last rank starts, after 2 * 10 ms.
  const int n = GetParam();
  std::vector<double> factors(static_cast<std::size_t>(n), 1.0);
  factors[static_cast<std::size_t>(n / 3)] = 2.0;
  const Plan plan = test::training_plan(n, {{10e-3, std::int64_t{100} * n}}, 1.0, factors);
  const double expected = 20e-3 + 2.0 * (n - 1) * (kAlpha + 100 * 4 * 8 / kBandwidth);
  const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
  EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, 1e-9 * expected);
}

INSTANTIATE_TEST_SUITE_P(Counts, ManyRanks, testing::Values(4096, 65536));

/// A backward pass of five buckets and 25.6 M elements, as DDP cuts ResNet-50.
std::vector<test::BucketOfPlan> five_buckets() {
  return {{10e-3, 2'050'000},
          {20e-3, 7'880'000},
          {20e-3, 6'820'000},
          {20e-3, 6'640'000},
          {30e-3, 2'170'000}};
}

/// 1024 nodes of 4.
void expect_same_end(const Plan& plan) {
  const Cluster cluster = test::mixed_cluster(1024, 4);
  const double expected = play_recurrence(plan, cluster, {}).end.count();
  EXPECT_NEAR(play_simgrid(plan, cluster, {}, SimgridSettings{}).end.count(), expected,
              1e-3 * expected);
}

TEST(Ranks4096, CoupledSimgridIsTheRecurrenceWithinOneInAThousand) {
  expect_same_end(test::training_plan(4096, five_buckets(), 1.07));
}

TEST(Ranks4096, CoupledSimgridWhereOneIsLateIsTheRecurrenceWithinOneInAThousand) {
  std::vector<double> factors(4096, 1.0);
  factors[77] = 1.5;
  expect_same_end(test::training_plan(4096, five_buckets(), 1.07, factors));
}

}  // namespace
}  // namespace gradwire
