#include "compressors/cost/bucket_cost.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

/// 10 us a launch, 1 GB/s, 100 us a wait; PowerSGD has 3 ms fixed.
CostProfile profile_with(const std::string& entries) {
  return parse_cost_profile(
      "name: 'p' device_patterns: 'X' model { launch_s { value: 10e-6 standing: ASSUMED source: "
      "'s' } "
      "dram_bytes_per_s { value: 1e9 standing: ASSUMED source: 's' } host_sync_s { value: 100e-6 "
      "standing: ASSUMED source: 's' } scheme { name: 'powersgd' fixed_s: 3e-3 standing: ASSUMED "
      "source: 's' } } " +
          entries,
      "p.txtpb");
}

const std::vector<std::vector<TensorShape>> kBuckets = {{{{100, 10}}}, {{{200, 10}}, {{1000}}}};

BucketCosts costs_of(const CostProfile& profile, const std::string& text) {
  const auto scheme = parse_scheme(text);
  std::vector<TensorShape> all;
  for (const auto& bucket : kBuckets) all.insert(all.end(), bucket.begin(), bucket.end());
  return bucket_costs(profile, *scheme, kBuckets, 4, encode_decode_cost(profile, *scheme, all, 4));
}

TEST(BucketCost, HasTheHostsLaunchesAndTheDevicesBytesOfItsOwnTensors) {
  const BucketCosts costs = costs_of(profile_with(""), "signsgd");
  ASSERT_EQ(costs.buckets.size(), 2U);
  // Encode: 6 launches, 28 bytes an element. Decode of 4 ranks: 25 launches, 188 bytes.
  EXPECT_NEAR(costs.buckets[0].encode.host.count(), 60e-6, 1e-12);
  EXPECT_NEAR(costs.buckets[0].encode.device.count(), 28e3 / 1e9, 1e-12);
  EXPECT_NEAR(costs.buckets[1].decode.host.count(), 250e-6, 1e-12);
  EXPECT_NEAR(costs.buckets[1].decode.device.count(), 3000 * 188 / 1e9, 1e-12);
  EXPECT_EQ(costs.buckets[0].between.alone(), Seconds{0});
  EXPECT_TRUE(costs.notes.empty());
}

TEST(BucketCost, SpreadsTheFixedTimeByElementsAndSaysSo) {
  const BucketCosts with = costs_of(profile_with(""), "powersgd:rank=1");
  // 1000 of 4000 elements: 0.75 ms beside 3 launches (2 a tensor, 1 a product).
  EXPECT_NEAR(with.buckets[0].encode.host.count(), 0.75e-3 + 3 * 10e-6, 1e-12);
  ASSERT_EQ(with.notes.size(), 1U);
  EXPECT_NE(with.notes[0].find("3 ms"), std::string::npos) << with.notes[0];
  // The hook's wait behind the decode is 100 us a bucket; without it there is none.
  EXPECT_NEAR(with.buckets[0].decode.wait.count(), 100e-6, 1e-12);
  EXPECT_EQ(costs_of(profile_with(""), "powersgd:rank=1,hook_sync=false").buckets[0].decode.wait,
            Seconds{0});
}

TEST(BucketCost, OfAFigureForTheWholeIsTheModelsTimesAFactor) {
  const CostProfile profile = profile_with(
      "entry { scheme: 'signsgd' elements: 4000 tensors: 3 encode_s: 1e-3 decode_s: 1e-3 standing: "
      "MEASURED date: '2026' source: 's' }");
  const BucketCosts model = costs_of(profile_with(""), "signsgd");
  const BucketCosts scaled = costs_of(profile, "signsgd");
  // The model's whole: max(60, 112) us of encode and max(250, 752) of decode; the figure is 2 ms.
  const double factor = 2e-3 / (112e-6 + 752e-6);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(scaled.buckets[i].encode.device.count(),
                model.buckets[i].encode.device.count() * factor, 1e-12);
    EXPECT_NEAR(scaled.buckets[i].decode.host.count(),
                model.buckets[i].decode.host.count() * factor, 1e-12);
  }
  EXPECT_EQ(scaled.notes.size(), 1U);
}

TEST(BucketCost, GivenTimesAreSpreadByElementsAsDeviceTime) {
  const BucketCosts costs = spread_by_elements(kBuckets, Seconds{4e-3}, Seconds{8e-3});
  EXPECT_NEAR(costs.buckets[0].encode.device.count(), 1e-3, 1e-12);
  EXPECT_NEAR(costs.buckets[1].decode.device.count(), 6e-3, 1e-12);
  EXPECT_EQ(costs.buckets[1].decode.host, Seconds{0});
  EXPECT_EQ(costs.notes.size(), 1U);
}

TEST(StageCost, AloneTakesTheLongerOfHostAndDeviceAndThenItsWaits) {
  EXPECT_EQ((StageCost{Seconds{1}, Seconds{3}, Seconds{2}}).alone(), Seconds{5});
  EXPECT_EQ((StageCost{Seconds{4}, Seconds{3}, Seconds{0}}).alone(), Seconds{4});
}

}  // namespace
}  // namespace gradwire
