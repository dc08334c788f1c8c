// Compression behind the backward pass: the plan, its breakdown and all estimators.
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// Two ranks, no latency, 32 Mbps: an all-reduce of e float32 takes e microseconds (two messages of
/// e/2 elements), an all-gather of e float32 a rank the same (one message).
Scenario two_ranks(const std::string& scheme) {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.workload.edit().gradients[0].shape = {200, 300};
  scenario.workload.edit().gradients[1].shape = {40'000};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  scenario.compression = {parse_scheme(scheme), Seconds{3e-3}, Seconds{2e-3}};
  return scenario;
}

TEST(SerialCompression, FollowsTheWholeBackwardPass) {
  EXPECT_EQ(to_text(make_plan(two_ranks("powersgd:rank=2"))),
            "workers 2 overlap_slowdown 1 latency blocking\n"
            "0 compute C 25.000000ms\n"
            "1 encode encode 3.000000ms after 0\n"
            "2 communicate 1-D tensors all_reduce 40000x4B after 1\n"
            "3 communicate P all_reduce 400x4B after 2\n"
            "4 communicate Q all_reduce 600x4B after 3\n"
            "5 decode decode 2.000000ms after 4\n");
}

TEST(SerialCompression, AddsUpInEveryEstimator) {
  // signsgd: 100,000 signs in 3125 words: 25 + 3 + 3.125 + 2 ms.
  for (const Estimator estimator :
       {Estimator::kFormula, Estimator::kRecurrence, Estimator::kSimgrid}) {
    const IterationResult result = estimate(two_ranks("signsgd"), estimator);
    EXPECT_NEAR(result.backward_sync.count(), 33.125e-3, 1e-9) << name_of(estimator);
    EXPECT_NEAR(result.breakdown.compute.count(), 25e-3, 1e-9);
    EXPECT_NEAR(result.breakdown.encode.count(), 3e-3, 1e-9);
    EXPECT_NEAR(result.breakdown.decode.count(), 2e-3, 1e-9);
    EXPECT_NEAR(result.breakdown.exposed().count(), 3.125e-3, 1e-9);
    EXPECT_NEAR(result.breakdown.total().count(), 33.125e-3, 1e-9);
  }
}

TEST(SerialCompression, IsNotSlowedByItsOwnCommunication) {
  Scenario scenario = two_ranks("signsgd");
  scenario.overlap_slowdown = 1.5;
  EXPECT_NEAR(estimate(scenario, Estimator::kRecurrence).backward_sync.count(), 33.125e-3, 1e-9);
}

TEST(Casts, KeepTheBucketsAndHalveTheirBytes) {
  Scenario scenario = two_ranks("fp16");
  scenario.caps = {Bytes{1}, Bytes{1}};
  EXPECT_EQ(to_text(make_plan(scenario)),
            "workers 2 overlap_slowdown 1 latency blocking\n"
            "0 compute C0 10.000000ms\n"
            "1 communicate A0 all_reduce 60000x2B after 0\n"
            "2 compute C1 10.000000ms\n"
            "3 communicate A1 all_reduce 40000x2B after 2\n"
            "4 compute C-tail 5.000000ms\n");
  // Ready at 10 and 20 ms, all-reduces of 30 and 20 ms.
  for (const Estimator estimator :
       {Estimator::kFormula, Estimator::kRecurrence, Estimator::kSimgrid}) {
    EXPECT_NEAR(estimate(scenario, estimator).backward_sync.count(), 60e-3, 1e-9);
  }
}

TEST(Casts, OfTheSameTypeChangeNothing) {
  Scenario scenario = two_ranks("none");
  const std::string with = to_text(make_plan(scenario));
  scenario.compression = {};
  EXPECT_EQ(with, to_text(make_plan(scenario)));
}

TEST(SerialCompression, NeedsShapes) {
  Scenario scenario = two_ranks("powersgd");
  scenario.workload.edit().gradients[1].shape.clear();
  EXPECT_NE(
      test::input_error_of([&] { make_plan(scenario); }).find("gradient 1 has 40000 elements"),
      std::string::npos);
}

TEST(SerialCompression, OneWorkerCompressesNothing) {
  Scenario scenario = two_ranks("powersgd");
  scenario.workers = 1;
  EXPECT_NEAR(estimate(scenario, Estimator::kRecurrence).backward_sync.count(), 25e-3, 1e-12);
}

}  // namespace
}  // namespace gradwire
