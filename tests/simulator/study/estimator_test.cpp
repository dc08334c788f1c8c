#include "simulator/study/estimator.hpp"

#include <gtest/gtest.h>

#include <random>

#include "simulator/study/assumption_band.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

Scenario random_scenario(std::mt19937& random) {
  Scenario scenario;
  scenario.workload = test::random_workload(random);
  const bool mixed = random() % 2 == 0;
  scenario.cluster = mixed ? test::mixed_cluster(8, 4) : test::flat_cluster(32, 10e9, 20e-6);
  scenario.cluster.nic.bandwidth =
      BitsPerSecond{std::uniform_real_distribution<double>(1e9, 30e9)(random)};
  scenario.workers = std::uniform_int_distribution<int>(1, 32)(random);
  scenario.caps.rest = Bytes{std::uniform_int_distribution<std::int64_t>(1, 30'000'000)(random)};
  scenario.overlap_slowdown = std::uniform_real_distribution<double>(1.0, 1.3)(random);
  return scenario;
}

TEST(Estimators, AgreeWithinAThousandthWhereNoLinkIsShared) {
  std::mt19937 random(20261202);
  EstimatorSettings step;
  step.simgrid.mode = SimgridMode::kStep;
  for (int i = 0; i < 60; ++i) {
    const Scenario scenario = random_scenario(random);
    const double formula = estimate(scenario, Estimator::kFormula).backward_sync.count();
    const double recurrence = estimate(scenario, Estimator::kRecurrence).backward_sync.count();
    const double coupled = estimate(scenario, Estimator::kSimgrid).backward_sync.count();
    const double by_step = estimate(scenario, Estimator::kSimgrid, step).backward_sync.count();
    const std::string what = "scenario " + std::to_string(i) + ", " +
                             std::to_string(scenario.workers) + " workers on " +
                             scenario.cluster.name;
    EXPECT_NEAR(formula, recurrence, 1e-3 * recurrence) << what;
    EXPECT_NEAR(coupled, recurrence, 1e-3 * recurrence) << what;
    EXPECT_NEAR(by_step, recurrence, 1e-4 * recurrence) << what;
  }
}

TEST(Estimators, TheBreakdownSumsToTheAnswer) {
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    const Scenario scenario = random_scenario(random);
    for (const Estimator estimator :
         {Estimator::kSimgrid, Estimator::kRecurrence, Estimator::kFormula}) {
      const IterationResult result = estimate(scenario, estimator);
      EXPECT_NEAR(result.breakdown.total().count(), result.backward_sync.count(),
                  1e-9 * result.backward_sync.count())
          << name_of(estimator) << " " << i;
    }
  }
}

TEST(Estimators, TheIterationAddsWhatTheTraceHoldsOutsideTheBackwardPass) {
  std::mt19937 random(11);
  Scenario scenario = random_scenario(random);
  for (const Estimator estimator :
       {Estimator::kSimgrid, Estimator::kRecurrence, Estimator::kFormula}) {
    scenario.workload.edit().outside_backward.reset();
    EXPECT_FALSE(estimate(scenario, estimator).iteration.has_value());
    scenario.workload.edit().outside_backward = Seconds{0.25};
    const IterationResult result = estimate(scenario, estimator);
    EXPECT_DOUBLE_EQ(result.iteration.value().count(), result.backward_sync.count() + 0.25);
  }
}

TEST(Estimators, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const std::string text = test::input_error_of([] { estimator_from_name("magic"); });
  EXPECT_EQ(text, "engine: \"magic\" found; accepted: simgrid, recurrence, formula");
}

TEST(AssumptionBand, HoldsTheAnswerAndGrowsWithTheAssumptions) {
  std::mt19937 random(13);
  Scenario scenario = random_scenario(random);
  scenario.workers = 32;
  scenario.overlap_slowdown = 1.05;
  const double here = estimate(scenario, Estimator::kRecurrence).backward_sync.count();
  const Seconds latency = scenario.cluster.nic.latency;
  const Assumptions sure{1.05, 1.05, 1.05, latency, latency, {}};
  const Assumptions unsure{1.05, 1.0, 1.1, latency * 0.5, latency * 2.0, {}};
  EXPECT_DOUBLE_EQ(band_of(corner_times(scenario, sure)).low.count(), here);
  EXPECT_DOUBLE_EQ(band_of(corner_times(scenario, sure)).high.count(), here);
  EXPECT_LT(band_of(corner_times(scenario, unsure)).low.count(), here);
  EXPECT_GT(band_of(corner_times(scenario, unsure)).high.count(), here);
}

}  // namespace
}  // namespace gradwire
