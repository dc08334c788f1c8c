#include "simulator/formula/formula.hpp"

#include <gtest/gtest.h>

#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// Two ranks, no latency, 32 Mbps: a ring all-reduce of e float32 sends 2 messages of e/2 elements,
/// e * 4 B * 8 / 32 Mbps = e microseconds in all.
Scenario two_ranks(Workload workload) {
  Scenario scenario;
  scenario.workload = std::move(workload);
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  scenario.caps = {Bytes{1}, Bytes{1}};  // every gradient is a bucket
  return scenario;
}

double milliseconds(Seconds time) { return time.count() * 1e3; }

TEST(PipelineForm, ABucketWaitsForTheOneBeforeIt) {
  // Ready at 10 and 20 ms, all-reduces of 30 and 4 ms: 10 + 30 = 40, then 44; compute ends at 25.
  const Scenario scenario = two_ranks(test::workload_of({{10, 30'000}, {20, 4'000}}, 25));
  const IterationResult result = estimate_formula(scenario);
  EXPECT_NEAR(milliseconds(result.backward_sync), 44.0, 1e-9);
  EXPECT_NEAR(milliseconds(result.breakdown.compute), 25.0, 1e-9);
  EXPECT_NEAR(milliseconds(result.breakdown.exposed_bandwidth), 19.0, 1e-9);
  EXPECT_NEAR(milliseconds(result.breakdown.total()), 44.0, 1e-9);
}

TEST(PipelineForm, ComputeIsSlowerOnlyWhileCommunicationRunsBesideIt) {
  // Factor 2. The first all-reduce runs from 10 to 16 ms: 3 ms of work are done in it, the 7 ms
  // left until the second bucket (work 20) follow at full speed: ready at 23, end 23 + 4 = 27. From
  // 23 to 27 2 ms of the last 5 ms of work are done, the other 3 ms end at 30.
  Scenario scenario = two_ranks(test::workload_of({{10, 6'000}, {20, 4'000}}, 25));
  scenario.overlap_slowdown = 2.0;
  const IterationResult result = estimate_formula(scenario);
  EXPECT_NEAR(milliseconds(result.backward_sync), 30.0, 1e-9);
  EXPECT_NEAR(milliseconds(result.breakdown.overlap_slowdown), 5.0, 1e-9);
  EXPECT_NEAR(milliseconds(result.breakdown.exposed()), 0.0, 1e-9);
}

TEST(PipelineForm, OneWorkerTakesTheBackwardPassAlone) {
  Scenario scenario = two_ranks(test::workload_of({{10, 6'000}}, 25));
  scenario.workers = 1;
  EXPECT_NEAR(milliseconds(estimate_formula(scenario).backward_sync), 25.0, 1e-9);
}

TEST(PipelineForm, UnequalRanksAreRefused) {
  Scenario scenario = two_ranks(test::workload_of({{10, 6'000}}, 25));
  scenario.compute_factors = {1.0, 1.5};
  EXPECT_NE(test::input_error_of([&] { estimate_formula(scenario); }).find("equal ranks"),
            std::string::npos);
}

TEST(StudyForm, TheLastBucketStandsOutsideOrInsideTheMaximum) {
  // T(b) = 30, 4, 5 ms; gamma T_comp = 1.1 * 40 = 44 ms. Outside: max(44, 34) + 5; inside:
  // max(44, 39).
  Scenario scenario = two_ranks(test::workload_of({{10, 30'000}, {20, 4'000}, {40, 5'000}}, 40));
  scenario.overlap_slowdown = 1.1;
  EXPECT_NEAR(milliseconds(study_form(scenario, LastBucket::kOutside, StudyBuckets::kReal)), 49.0,
              1e-9);
  EXPECT_NEAR(milliseconds(study_form(scenario, LastBucket::kInside, StudyBuckets::kReal)), 44.0,
              1e-9);
}

TEST(StudyForm, EqualBucketsAreTheCapAndARemainder) {
  // 39,000 elements in buckets of 16,000: 16 + 16 + 7 ms. No slow-down, T_comp 40 ms: 40 + 7.
  Scenario scenario = two_ranks(test::workload_of({{10, 30'000}, {20, 4'000}, {40, 5'000}}, 40));
  scenario.caps.rest = Bytes{64'000};
  EXPECT_NEAR(milliseconds(study_form(scenario, LastBucket::kOutside, StudyBuckets::kEqual)), 47.0,
              1e-9);
}

}  // namespace
}  // namespace gradwire
