// The estimators on networks that are more than one switch of equal NICs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/formula/formula.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "simulator/study/assumption_band.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// 24 workers on twelve nodes of two GPUs, 16 MB of gradients in two matrices.
Scenario two_matrices() {
  Scenario scenario;
  scenario.workload = test::workload_of({{5.0, 1'000'000}, {9.0, 3'000'000}}, 10.0);
  for (ReadyGradient& gradient : scenario.workload.edit().gradients) {
    gradient.shape = {1000, gradient.elements.count() / 1000};
  }
  scenario.cluster = test::mixed_cluster(12, 2);
  scenario.workers = 24;
  return scenario;
}

void expect_one_answer(const Scenario& scenario) {
  const double simgrid = estimate(scenario, Estimator::kSimgrid).backward_sync.count();
  for (const Estimator closed : {Estimator::kRecurrence, Estimator::kFormula}) {
    EXPECT_NEAR(estimate(scenario, closed).backward_sync.count(), simgrid, 1e-3 * simgrid)
        << name_of(closed);
  }
}

TEST(Estimators, AgreeOnShuffledNodesAndSlowNicsWhichShareNothing) {
  Scenario scenario = two_matrices();
  scenario.ring_order = shuffled_nodes(scenario.cluster, 24, 5);
  expect_one_answer(scenario);
  scenario.cluster.slow_nics = {{3, 0.5}, {7, 0.25}};
  expect_one_answer(scenario);
}

TEST(Estimators, AgreeOnPairwiseAllGatherWithOneGpuANode) {
  Scenario scenario = two_matrices();
  scenario.cluster = test::flat_cluster(24, 10e9, 20e-6);
  scenario.compression.scheme = parse_scheme("topk:fraction=0.01");
  scenario.all_gather = "pairwise";
  expect_one_answer(scenario);
  // One switch and equal messages: the ring takes as long.
  const double pairwise = estimate(scenario, Estimator::kFormula).backward_sync.count();
  const double ring = estimate(nominal(scenario), Estimator::kFormula).backward_sync.count();
  EXPECT_NEAR(pairwise, ring, 1e-9 * ring);
}

TEST(Estimators, RefuseSharedLinksButForSimgrid) {
  Scenario scenario = two_matrices();
  scenario.second_job = SecondJob{Bytes{10'000'000}, Seconds{1e-3}};
  for (const Estimator closed : {Estimator::kRecurrence, Estimator::kFormula}) {
    EXPECT_THAT(test::input_error_of([&] { estimate(scenario, closed); }),
                testing::HasSubstr("only --engine simgrid"));
  }
  EXPECT_THAT(test::input_error_of(
                  [&] { study_form(scenario, LastBucket::kOutside, StudyBuckets::kReal); }),
              testing::HasSubstr("shares links"));
  EXPECT_GT(estimate(scenario, Estimator::kSimgrid).backward_sync,
            estimate(nominal(scenario), Estimator::kFormula).backward_sync * 1.1);
}

TEST(CornerTimes, OfSharedLinksAreSimgridsAtEveryCorner) {
  Scenario scenario = two_matrices();
  scenario.second_job = SecondJob{Bytes{10'000'000}, Seconds{1e-3}};
  const Assumptions assumptions{1.0, 1.0, 1.1, Seconds{10e-6}, Seconds{50e-6}, {}};
  const CornerTimes times = corner_times(scenario, assumptions);
  EXPECT_EQ(times.here, estimate(scenario, Estimator::kSimgrid).backward_sync);
  scenario.overlap_slowdown = 1.1;
  scenario.cluster.nic.latency = Seconds{50e-6};
  EXPECT_EQ(times.corners[3], estimate(scenario, Estimator::kSimgrid).backward_sync);
}

}  // namespace
}  // namespace gradwire
