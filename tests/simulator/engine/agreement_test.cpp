// The engines against the closed forms of the collectives, derived again here.
#include <gtest/gtest.h>

#include <cmath>

#include "simulator/collectives/registry.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

TEST(Agreement, RingAllReduceOf100MegabytesOn96RanksTakes162Point13MillisecondsByEveryEngine) {
  // 2 * 95 * (20 us + ceil(25e6 / 96) * 4 B * 8 / 10 Gbps) = 190 * (20 us + 260417 * 3.2 ns) =
  // 162.1335 ms
  const double expected = 190 * (20e-6 + 260417 * 4 * 8 / 10e9);
  EXPECT_NEAR(expected, 162.13e-3, 0.01e-3);
  const Cluster cluster = test::flat_cluster(96, 10e9, 20e-6);
  const auto schedule =
      make_schedule({CollectiveKind::kAllReduce, Elements{25'000'000}, Bytes{4}}, 96);
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

}  // namespace
}  // namespace gradwire
