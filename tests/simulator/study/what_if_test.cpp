#include "simulator/scenario/what_if.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

constexpr Estimator kAll[] = {Estimator::kFormula, Estimator::kRecurrence, Estimator::kSimgrid};

/// Two ranks, no latency, 32 Mbps: an all-gather of e float32 a rank takes e microseconds. 25 ms of
/// backward, 3 of encode, 3125 words of signs, 2 of decode.
Scenario signs() {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.workload.edit().gradients[0].shape = {200, 300};
  scenario.workload.edit().gradients[1].shape = {40'000};
  scenario.workload.edit().outside_backward = Seconds{1.0};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  scenario.compression = {parse_scheme("signsgd"), Seconds{3e-3}, Seconds{2e-3}};
  return scenario;
}

double milliseconds(const Scenario& scenario, Estimator estimator) {
  return estimate(scenario, estimator).backward_sync.count() * 1e3;
}

TEST(WhatIf, EachChangesItsOwnPartAlone) {
  for (const Estimator estimator : kAll) {
    EXPECT_NEAR(milliseconds(signs(), estimator), 25 + 3 + 3.125 + 2, 1e-6);
    EXPECT_NEAR(milliseconds(with_faster_compute(signs(), 2.0), estimator), 12.5 + 3 + 3.125 + 2,
                1e-6);
    EXPECT_NEAR(milliseconds(with_cheaper_encode(signs(), 4.0), estimator), 25 + 0.75 + 3.125 + 0.5,
                1e-6);
    EXPECT_NEAR(milliseconds(with_payload(signs(), 3.0), estimator), 25 + 3 + 9.375 + 2, 1e-6);
  }
}

TEST(WhatIf, Compose) {
  const Scenario scenario = with_payload(
      with_payload(with_cheaper_encode(with_faster_compute(signs(), 2.0), 2.0), 2.0), 1.5);
  for (const Estimator estimator : kAll) {
    EXPECT_NEAR(milliseconds(scenario, estimator), 12.5 + 1.5 + 9.375 + 1, 1e-6);
  }
}

TEST(WhatIf, APayloadFactorAlsoScalesBucketsWithoutAScheme) {
  Scenario scenario = signs();
  scenario.compression = {};
  scenario.caps = {Bytes{1}, Bytes{1}};
  // The first bucket goes out at 10 ms and takes 60, the second follows with 40: 110 ms. At half
  // the payload 30 and 20: 60 ms.
  for (const Estimator estimator : kAll) {
    EXPECT_NEAR(milliseconds(scenario, estimator), 110.0, 1e-3);
    EXPECT_NEAR(milliseconds(with_payload(scenario, 0.5), estimator), 60.0, 1e-3);
  }
}

TEST(WhatIf, WithFasterComputeTheRestOfAnIterationIsUnknown) {
  EXPECT_TRUE(estimate(signs(), Estimator::kRecurrence).iteration.has_value());
  EXPECT_FALSE(
      estimate(with_faster_compute(signs(), 2.0), Estimator::kRecurrence).iteration.has_value());
  EXPECT_TRUE(
      estimate(with_faster_compute(signs(), 1.0), Estimator::kRecurrence).iteration.has_value());
}

}  // namespace
}  // namespace gradwire
