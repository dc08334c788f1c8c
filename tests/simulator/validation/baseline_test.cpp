#include "simulator/validation/baseline.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

constexpr BitsPerSecond kLink{800e6};  // 100 MB/s

Scenario scenario_of(const std::vector<test::GradientAt>& gradients, double span_ms) {
  Scenario scenario;
  scenario.workload = test::workload_of(gradients, span_ms);
  scenario.workers = 4;
  scenario.caps = {Bytes{1}, Bytes{1}};
  return scenario;
}

TEST(Baseline, BucketsFollowEachOtherBehindTheirReadyTimes) {
  // A ring of 4 ranks: 1.5 x 4 MB at 50 MB/s = 120 ms a bucket. The first ends at 130, the second
  // waits for it, the third is ready at 400.
  const Scenario scenario = scenario_of({{10, 1'000'000}, {20, 1'000'000}, {400, 1'000'000}}, 400);
  EXPECT_NEAR(baseline_time(scenario, kLink, 0.5).count(), 520e-3, 1e-9);
}

TEST(Baseline, ACastSendsHalf) {
  Scenario scenario = scenario_of({{10, 1'000'000}}, 10);
  scenario.compression.scheme = parse_scheme("fp16");
  EXPECT_NEAR(baseline_time(scenario, kLink, 1.0).count(), 40e-3, 1e-9);
}

TEST(Baseline, AHookEncodesGathersAndDecodes) {
  // 1e6 signs: 125 kB from each of 3 others, 3.75 ms.
  Scenario scenario = scenario_of({{10, 1'000'000}}, 12);
  scenario.compression.scheme = parse_scheme("signsgd");
  scenario.compression.encode = Seconds{3e-3};
  scenario.compression.decode = Seconds{4e-3};
  EXPECT_NEAR(baseline_time(scenario, kLink, 1.0).count(), 22.75e-3, 1e-9);
  scenario.compute_factors = {1.0, 2.0, 1.0, 1.0};
  EXPECT_NEAR(baseline_time(scenario, kLink, 1.0).count(), 41.75e-3, 1e-9);
}

TEST(Baseline, TheBackwardPassIsAFloor) {
  EXPECT_NEAR(baseline_time(scenario_of({{1, 10}}, 50), kLink, 1.0).count(), 50e-3, 1e-12);
}

TEST(Baseline, TheFitFindsTheEfficiencyThatMadeTheCases) {
  std::vector<BaselineCase> cases;
  for (const std::int64_t elements : {1'000'000, 2'000'000, 5'000'000}) {
    const Scenario scenario = scenario_of({{10, elements}}, 10);
    cases.push_back({scenario, kLink, baseline_time(scenario, kLink, 0.873)});
  }
  EXPECT_DOUBLE_EQ(fit_baseline(cases), 0.873);
}

}  // namespace
}  // namespace gradwire
