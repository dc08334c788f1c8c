// A scheme of its own for each bucket of overlapped compression.
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

Seconds ms(double value) { return Seconds{value * 1e-3}; }

/// Two buckets of 60,000 and 40,000 elements, ready at 10 and 20 of 25 ms. Two ranks, no latency,
/// 32 Mbps: an all-reduce of e float32 takes e microseconds.
Scenario two_buckets(std::vector<std::shared_ptr<const Scheme>> schemes) {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.caps = {Bytes{1}, Bytes{1}};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  scenario.compression.mode = CompressionMode::kOverlapped;
  scenario.compression.bucket_schemes = std::move(schemes);
  scenario.compression.buckets.resize(2);
  return scenario;
}

double milliseconds(const Scenario& scenario, Estimator estimator = Estimator::kRecurrence) {
  return estimate(scenario, estimator).backward_sync.count() * 1e3;
}

TEST(BucketSchemes, TheSameSchemeInEveryBucketIsThePlanOfThatScheme) {
  const std::shared_ptr<const Scheme> signs = parse_scheme("signsgd");
  Scenario by_bucket = two_buckets({signs, signs});
  by_bucket.compression.buckets[0] = {{ms(1), ms(2), {}}, {}, {ms(1), ms(3), ms(1)}};
  Scenario whole = by_bucket;
  whole.compression.bucket_schemes.clear();
  whole.compression.scheme = signs;
  EXPECT_EQ(to_text(make_plan(by_bucket)), to_text(make_plan(whole)));
}

TEST(BucketSchemes, WithoutAnyItIsTrainingWithoutACompressor) {
  const Scenario by_bucket = two_buckets({nullptr, nullptr});
  Scenario plain = by_bucket;
  plain.compression = {};
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    EXPECT_EQ(milliseconds(by_bucket, estimator), milliseconds(plain, estimator));
  }
  EXPECT_NEAR(milliseconds(plain), 110.0, 1e-6);  // 60 from 10 ms on, then 40
}

TEST(BucketSchemes, EachBucketSendsWhatItsOwnSchemeSends) {
  Scenario scenario = two_buckets({nullptr, parse_scheme("signsgd")});
  scenario.compression.buckets[1].encode.device = ms(2);
  // 60 ms of float32 from 10 ms on; 1250 words of signs wait for them, though encoded at 22.
  EXPECT_NEAR(milliseconds(scenario), 10 + 60 + 1.25, 1e-6);
  scenario = two_buckets({parse_scheme("signsgd"), parse_scheme("fp16")});
  // 1875 words of signs are gone at 11.875; half of 40 ms from 20 on.
  EXPECT_NEAR(milliseconds(scenario), 20 + 20, 1e-6);
  EXPECT_NEAR(milliseconds(scenario, Estimator::kSimgrid), 20 + 20, 1e-3);
}

TEST(BucketSchemes, OneBucketsAllGatherIsEnoughToShareLinks) {
  Scenario scenario = two_buckets({nullptr, nullptr});
  scenario.cluster = test::mixed_cluster(2, 2);
  scenario.workers = 4;
  scenario.all_gather = "pairwise";
  EXPECT_FALSE(links_are_shared(scenario));
  scenario.compression.bucket_schemes[1] = parse_scheme("signsgd");
  EXPECT_TRUE(links_are_shared(scenario));
}

std::string refusal(const Scenario& scenario) {
  return test::input_error_of([&] { check_scenario(scenario); });
}

TEST(BucketSchemes, OtherCountsThanTheWorkloadsBucketsAreRefused) {
  EXPECT_NE(refusal(two_buckets({nullptr}))
                .find("schemes: of 1 buckets found; one for each of the "
                      "workload's 2"),
            std::string::npos);
  Scenario scenario = two_buckets({nullptr, nullptr});
  scenario.compression.buckets.resize(3);
  EXPECT_NE(refusal(scenario).find("costs: of 3 buckets"), std::string::npos);
}

TEST(BucketSchemes, TheyStandAloneAndInOverlappedMode) {
  Scenario scenario = two_buckets({nullptr, nullptr});
  scenario.compression.scheme = parse_scheme("signsgd");
  EXPECT_NE(refusal(scenario).find("beside one for all buckets"), std::string::npos);
  scenario = two_buckets({nullptr, nullptr});
  scenario.compression.mode = CompressionMode::kSerial;
  EXPECT_NE(refusal(scenario).find("in serial mode"), std::string::npos);
}

TEST(BucketSchemes, TheFormulaRefusesThem) {
  EXPECT_FALSE(can_answer(Estimator::kFormula, two_buckets({nullptr, nullptr})));
}

}  // namespace
}  // namespace gradwire
