#include "simulator/gloo/gloo_estimate.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

constexpr double kBandwidth = 800e6;  // 100 MB/s
constexpr Bytes kTinyCap{1};

/// Two ranks; each gradient a bucket. Work of the cores costs nothing.
GlooHost free_host(int at_once = 2) {
  GlooHost host;
  host.cores = 2;
  host.collectives_at_once = at_once;
  host.segment = Bytes{1 << 20};
  return host;
}

Scenario scenario_of(const std::vector<test::GradientAt>& gradients, double span_ms) {
  Scenario scenario;
  scenario.workload = test::workload_of(gradients, span_ms);
  scenario.cluster = test::flat_cluster(2, kBandwidth, 0.0);
  scenario.workers = 2;
  scenario.caps = {kTinyCap, kTinyCap};
  return scenario;
}

TEST(Gloo, OneBucketTakesItsBytesOverTheLink) {
  // 1e6 floats, 2 passes of half of 4 MB at 100 MB/s: 40 ms behind 10 ms.
  EXPECT_NEAR(estimate_gloo(scenario_of({{10, 1'000'000}}, 10), free_host()).count(), 50e-3, 1e-9);
}

TEST(Gloo, TwoCollectivesShareTheLinkAndEndNoSoonerThanOneAfterTheOther) {
  // 40 ms and 20 ms of link, ready at 10 and 30 ms: together they end at 70 ms either way.
  const Scenario scenario = scenario_of({{10, 1'000'000}, {30, 500'000}}, 30);
  EXPECT_NEAR(estimate_gloo(scenario, free_host(1)).count(), 70e-3, 1e-9);
  EXPECT_NEAR(estimate_gloo(scenario, free_host(2)).count(), 70e-3, 1e-9);
}

TEST(Gloo, AddingAtHalfTheLinksPaceMakesTheReduceScatterAsLongAsTheAdding) {
  // Reduce-scatter: 2 MB, added at 20 ns a byte on a core of its own: 40 ms instead of 20.
  GlooHost host = free_host();
  host.reduce = 20e-9;
  EXPECT_NEAR(estimate_gloo(scenario_of({{10, 1'000'000}}, 10), host).count(), 70e-3, 1e-9);
}

TEST(Gloo, RanksThatShareOneCoreAddHalfAsFast) {
  GlooHost host = free_host();
  host.cores = 1;
  host.reduce = 20e-9;  // 80 ms now, and 20 ms of all-gather behind it
  EXPECT_NEAR(estimate_gloo(scenario_of({{10, 1'000'000}}, 10), host).count(), 110e-3, 1e-9);
}

TEST(Gloo, ACollectiveInItsAdditionLeavesTheLinkToTheOther) {
  // Both at 0. Alone each would take 40 + 20 ms. Two adders on two ranks' one core each have half a
  // core: both passes of reduce-scatter end at 80 ms, the all-gathers share the link for 40 ms.
  GlooHost host = free_host();
  host.reduce = 20e-9;
  EXPECT_NEAR(estimate_gloo(scenario_of({{0, 1'000'000}, {0, 1'000'000}}, 0), host).count(), 120e-3,
              1e-9);
}

TEST(Gloo, CopiesDelayTheBucketAndTheResult) {
  // 4 MB at 1 ns a byte in and 2 ns out: 4 and 8 ms.
  GlooHost host = free_host();
  host.copy_in = 1e-9;
  host.copy_out = 2e-9;
  EXPECT_NEAR(estimate_gloo(scenario_of({{10, 1'000'000}}, 10), host).count(), 62e-3, 1e-9);
}

TEST(Gloo, ACastHalvesTheBytesAndCostsItsWork) {
  // 20 ms of link; 4 MB cast at 1 ns in, 3 ns out; 1 MB of float16 added at 15 ns, longer than its
  // 10 ms of link: 10 + 4 + 15 + 10 + 12.
  Scenario scenario = scenario_of({{10, 1'000'000}}, 10);
  scenario.compression.scheme = parse_scheme("fp16");
  GlooHost host = free_host();
  host.cast_in = 1e-9;
  host.cast_out = 3e-9;
  host.reduce_float16 = 15e-9;
  EXPECT_NEAR(estimate_gloo(scenario, host).count(), 51e-3, 1e-9);
}

TEST(Gloo, MakingGradientsIsSlowerWhereRanksShareCores) {
  // 4 MB at 5 ns: 20 ms of a core, 40 ms of half a core.
  GlooHost host = free_host();
  host.make = 5e-9;
  EXPECT_NEAR(estimate_gloo(scenario_of({{10, 1'000'000}}, 10), host).count(), 70e-3, 1e-9);
  host.cores = 1;
  EXPECT_NEAR(estimate_gloo(scenario_of({{10, 1'000'000}}, 10), host).count(), 90e-3, 1e-9);
}

TEST(Gloo, ADeviceGoesOnWhileTheThreadCopies) {
  // Copies of 4 MB at 5 ns take 20 ms. A thread that computes itself makes the second gradient 20
  // ms later; a device does not, so only that gradient's own copy delays its bucket.
  Scenario scenario = scenario_of({{10, 1'000'000}, {60, 1'000'000}}, 60);
  GlooHost host = free_host();
  host.copy_in = 5e-9;
  EXPECT_NEAR(estimate_gloo(scenario, host).count(), 140e-3, 1e-9);
  host.on_device = true;
  EXPECT_NEAR(estimate_gloo(scenario, host).count(), 120e-3, 1e-9);
}

TEST(Gloo, TheSlowestRankMakesThePace) {
  Scenario scenario = scenario_of({{10, 1'000'000}}, 10);
  scenario.compute_factors = {1.0, 2.0};
  EXPECT_NEAR(estimate_gloo(scenario, free_host()).count(), 60e-3, 1e-9);
}

TEST(Gloo, AHookGathersWhatASchemeSends) {
  // 1e6 signs in 31250 words, 125 kB from each of two others at 100 MB/s: 2.5 ms, between encoding
  // of 3 and decoding of 4 ms.
  Scenario scenario = scenario_of({{10, 1'000'000}}, 12);
  scenario.cluster = test::flat_cluster(3, kBandwidth, 0.0);
  scenario.workers = 3;
  scenario.compression.scheme = parse_scheme("signsgd");
  scenario.compression.encode = Seconds{3e-3};
  scenario.compression.decode = Seconds{4e-3};
  EXPECT_NEAR(estimate_gloo(scenario, free_host()).count(), 21.5e-3, 1e-9);
}

TEST(Gloo, BetweenTwoRanksAGatherLosesHalfABlock) {
  Scenario scenario = scenario_of({{10, 1'000'000}}, 12);
  scenario.compression.scheme = parse_scheme("signsgd");
  EXPECT_NEAR(estimate_gloo(scenario, free_host()).count(), 12e-3 + 1.875e-3, 1e-9);
}

TEST(Gloo, AnOverlappedHookEncodesInOrderAndSendsMeanwhile) {
  // Two buckets of 3.2e6 signs, a block and a half of 400 kB each: 6 ms. Encoding 5 ms each in the
  // compute stream: sent from 15 to 21 ms and from 30 (20 ready, 10 encoded) to 36, decoded 3 ms
  // later.
  Scenario scenario = scenario_of({{10, 3'200'000}, {20, 3'200'000}}, 20);
  scenario.compression.scheme = parse_scheme("signsgd");
  scenario.compression.mode = CompressionMode::kOverlapped;
  scenario.compression.encode = Seconds{10e-3};
  scenario.compression.decode = Seconds{6e-3};
  scenario.compression.buckets =
      spread_by_elements(bucket_shapes(*scenario.workload, scenario.caps),
                         scenario.compression.encode, scenario.compression.decode)
          .buckets;
  EXPECT_NEAR(estimate_gloo(scenario, free_host()).count(), 39e-3, 1e-9);
}

TEST(Gloo, OneRankExchangesNothing) {
  Scenario scenario = scenario_of({{10, 1'000'000}}, 12);
  scenario.workers = 1;
  EXPECT_DOUBLE_EQ(estimate_gloo(scenario, free_host()).count(), 12e-3);
}

TEST(Gloo, RefusesWhatItDoesNotModel) {
  Scenario shared = scenario_of({{10, 1'000'000}}, 10);
  shared.second_job = SecondJob{Bytes{1000}, Seconds{1e-3}};
  EXPECT_NE(test::input_error_of([&] { estimate_gloo(shared, free_host()); }).find("second job"),
            std::string::npos);
  Scenario dense = scenario_of({{10, 1'000'000}}, 10);
  dense.cluster.nodes = 1;
  dense.cluster.gpus_per_node = 2;
  EXPECT_NE(test::input_error_of([&] { estimate_gloo(dense, free_host()); }).find("GPUs a node"),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
