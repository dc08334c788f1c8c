// Every algorithm of the registry: the engines against its closed form, and what shares links.
#include <gtest/gtest.h>

#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/simulator/collectives/every_algorithm.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

using test::described;

constexpr double kAlpha = 20e-6;
constexpr double kBandwidth = 10e9;

class EnginesOn : public testing::TestWithParam<AlgorithmEntry> {
 protected:
  static std::shared_ptr<const Schedule> schedule_of(int n, std::int64_t elements,
                                                     int per_node = 1) {
    return GetParam().make({GetParam().kind, Elements{elements}, Bytes{4}},
                           {n, per_node, 1 + n / 3});
  }
  /// Whether several messages of a rank go at once.
  static bool sends_at_once() {
    return GetParam().algorithm == "parameter_server" || GetParam().algorithm == "direct";
  }
  static double closed_form(const Schedule& schedule) {
    return schedule.closed_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count();
  }
  /// What one element a round more or less makes.
  static double rounding(const Schedule& schedule) {
    return schedule.rounds() * 4 * 8 / kBandwidth;
  }
};

double simgrid_end(const Plan& plan, const Cluster& cluster, SimgridMode mode) {
  return play_simgrid(plan, cluster, {}, {mode, mode == SimgridMode::kCoupled}).end.count();
}

TEST_P(EnginesOn, RecurrenceOfEveryNFrom2To128IsTheClosedFormWhereNoLinkIsShared) {
  for (int n = 2; n <= 128; ++n) {
    const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
    for (const std::int64_t elements : {1, 97, 1'000'001, 250'000'000}) {
      if (elements > 1'000'001 && n % 9 != 0 && n < 127) continue;  // a gigabyte has many chunks
      const auto schedule = schedule_of(n, elements);
      ASSERT_EQ(shares_links(*schedule, cluster), sends_at_once() && n > 2);
      if (shares_links(*schedule, cluster)) continue;
      const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
      const double expected = closed_form(*schedule);
      const double tolerance = 1e-9 * expected + rounding(*schedule);
      ASSERT_LE(rounding(*schedule), 2e-4 * expected);
      ASSERT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, tolerance)
          << described(GetParam(), *schedule);
      ASSERT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), expected, tolerance)
          << described(GetParam(), *schedule);
    }
  }
}

TEST_P(EnginesOn, CoupledModeIsTheClosedFormWithinOneInAThousand) {
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 63, 64, 96, 127, 128}) {
    const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
    for (const std::int64_t elements : {1, 1'000'001, 250'000'000}) {
      const auto schedule = schedule_of(n, elements);
      const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
      const double expected = closed_form(*schedule);
      ASSERT_NEAR(simgrid_end(plan, cluster, SimgridMode::kCoupled), expected, 1e-3 * expected)
          << described(GetParam(), *schedule);
    }
  }
}

TEST_P(EnginesOn, StepModeEndsAndIsTheClosedFormWithinOneInAThousand) {
  for (const int n : {2, 3, 5, 6, 8, 13, 16, 24, 33}) {
    const Cluster cluster = test::flat_cluster(n, kBandwidth, kAlpha);
    for (const std::int64_t elements : {1, 1'000'001}) {
      const auto schedule = schedule_of(n, elements);
      const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
      const double expected = closed_form(*schedule);
      EXPECT_NEAR(simgrid_end(plan, cluster, SimgridMode::kStep), expected, 1e-3 * expected)
          << described(GetParam(), *schedule);
    }
  }
}

using EnginesByNodes = EnginesOn;

TEST_P(EnginesByNodes, NodesOfSeveralGpusTakeTheSameCoupledAndByTheirClosedForm) {
  const std::string_view name = GetParam().algorithm;
  for (const auto& [nodes, gpus] : {std::pair{2, 2}, {3, 4}, {6, 4}, {8, 8}, {1, 8}}) {
    const Cluster cluster = test::mixed_cluster(nodes, gpus);
    const auto schedule = schedule_of(nodes * gpus, 25'000'000, gpus);
    const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
    const double expected =
        schedule->closed_form_on_nodes(nodes == 1 ? cluster.intra : cluster.nic, cluster.intra)
            .count();
    EXPECT_NEAR(simgrid_end(plan, cluster, SimgridMode::kCoupled), expected, 1e-3 * expected)
        << described(GetParam(), *schedule);
    EXPECT_EQ(shares_links(*schedule, cluster), name == "hierarchical" && nodes > 1);
    if (shares_links(*schedule, cluster)) continue;
    EXPECT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), expected,
                1e-3 * expected)
        << described(GetParam(), *schedule);
  }
}

TEST_P(EnginesByNodes, NodesOfSeveralGpusTakeTheSameInStepWhereLatenciesAreEqual) {
  for (const auto& [nodes, gpus] : {std::pair{2, 2}, {3, 4}, {6, 4}}) {
    Cluster cluster = test::mixed_cluster(nodes, gpus);
    cluster.intra.latency = cluster.nic.latency;  // several latencies step mode refuses
    const auto schedule = schedule_of(nodes * gpus, 2'500'000, gpus);
    const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
    const double coupled = simgrid_end(plan, cluster, SimgridMode::kCoupled);
    EXPECT_NEAR(simgrid_end(plan, cluster, SimgridMode::kStep), coupled, 1e-3 * coupled)
        << described(GetParam(), *schedule);
  }
}

using RecurrenceOn = EnginesOn;

TEST_P(RecurrenceOn, MoreBandwidthIsNeverSlowerAndOverlappedLatencyNeitherThanBlocking) {
  const Cluster slow = test::flat_cluster(24, kBandwidth, kAlpha);
  const Cluster fast = test::flat_cluster(24, 2 * kBandwidth, kAlpha);
  for (const std::int64_t elements : {1, 1000, 1'000'001}) {
    const auto schedule = schedule_of(24, elements);
    const auto end = [&](const Cluster& cluster, LatencyMode mode) {
      return play_recurrence_rank_by_rank(make_collective_plan(schedule, mode), cluster, {})
          .end.count();
    };
    const double blocking = end(slow, LatencyMode::kBlocking);
    EXPECT_LT(end(fast, LatencyMode::kBlocking), blocking);
    EXPECT_LE(end(slow, LatencyMode::kOverlapped), blocking * (1 + 1e-9));
    EXPECT_LE(end(fast, LatencyMode::kOverlapped), end(slow, LatencyMode::kOverlapped));
  }
}

TEST_P(EnginesOn, StragglersDelayTheEndAndNoEngineEndsBeforeTheCollectiveCould) {
  std::vector<double> factors(24, 1.0);
  factors[7] = 5.0;  // comes at 50 ms, the others at 10 ms
  Plan plan = test::training_plan(24, {{10e-3, 100}}, 1.0, factors);
  plan.ops[1].collective = schedule_of(24, 1'000'001);
  const Cluster cluster = test::flat_cluster(24, kBandwidth, kAlpha);
  const double whole = closed_form(*plan.ops[1].collective);
  const double coupled = simgrid_end(plan, cluster, SimgridMode::kCoupled);
  const double step = simgrid_end(plan, cluster, SimgridMode::kStep);
  EXPECT_NEAR(coupled, 50e-3 + whole, 1e-3 * whole);
  EXPECT_GE(step, 50e-3);
  EXPECT_LE(step, coupled * (1 + 1e-3));
  if (sends_at_once()) return;
  const double loop = play_recurrence_rank_by_rank(plan, cluster, {}).end.count();
  EXPECT_NEAR(loop, step, 1e-2 * whole);
}

INSTANTIATE_TEST_SUITE_P(Registry, EnginesOn, testing::ValuesIn(algorithms()), test::test_name);
INSTANTIATE_TEST_SUITE_P(Registry, RecurrenceOn,
                         testing::ValuesIn(test::algorithms_where([](std::string_view name) {
                           return name != "parameter_server" && name != "direct";
                         })),
                         test::test_name);
INSTANTIATE_TEST_SUITE_P(Registry, EnginesByNodes,
                         testing::ValuesIn(test::algorithms_where([](std::string_view name) {
                           return name == "hierarchical" || name == "leader_ring" ||
                                  name == "double_tree" || name == "in_network";
                         })),
                         test::test_name);

}  // namespace
}  // namespace gradwire
