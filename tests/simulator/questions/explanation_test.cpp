#include "simulator/questions/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compressors/spec/registry.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

using testing::HasSubstr;

/// Two buckets on 2 to 12 workers, one a node.
Scenario random_scenario(unsigned seed) {
  std::mt19937 random(seed);
  Scenario scenario;
  scenario.workload = test::random_workload(random);
  scenario.caps = {Bytes{2'000'000}, Bytes{8'000'000}};
  scenario.workers = 2 + static_cast<int>(random() % 11);
  scenario.cluster = test::flat_cluster(12, 1e9 * static_cast<double>(1 + random() % 40),
                                        1e-6 * static_cast<double>(1 + random() % 200));
  return scenario;
}

/// Buckets of 60,000 and 40,000 elements, ready at 10 and 20 of 25 ms, compressed beside the
/// backward pass.
Scenario hooked() {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.workload.edit().gradients[0].shape = {200, 300};
  scenario.workload.edit().gradients[0].launched = Seconds{4e-3};
  scenario.workload.edit().gradients[1].shape = {200, 200};
  scenario.workload.edit().gradients[1].launched = Seconds{6e-3};
  scenario.caps = {Bytes{1}, Bytes{1}};
  scenario.cluster = test::flat_cluster(4, 32e6, 100e-6);
  scenario.workers = 4;
  scenario.compression.scheme = parse_scheme("powersgd:rank=2");
  scenario.compression.mode = CompressionMode::kOverlapped;
  const Seconds ms{1e-3};
  scenario.compression.buckets = {{{1 * ms, 2 * ms, 1 * ms}, {0.5 * ms, 1 * ms}, {1 * ms, 3 * ms}},
                                  {{2 * ms, 1 * ms, 1 * ms}, {0.5 * ms, 1 * ms}, {1 * ms, 3 * ms}}};
  return scenario;
}

TEST(Explanation, ThePathTilesTheTimeOfOverlappedCompressionInBothEngines) {
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    const Explanation explanation = explain(hooked(), estimator);
    Seconds now{0};
    for (const PathStep& step : explanation.path) {
      EXPECT_EQ(step.segment.start, now);
      now = step.segment.end;
      // Undisturbed work fits into its segment: nothing of an op is cut off.
      EXPECT_LE(step.segment.work.count(), (step.segment.end - step.segment.start).count() + 1e-8)
          << step.segment.label;
    }
    EXPECT_EQ(now, explanation.result.backward_sync);
    EXPECT_GT(explanation.path.size(), 5U);
    EXPECT_NEAR(explanation.on_path.total().count(), now.count(), 1e-12);
  }
}

TEST(Explanation, SlopesWithoutAKinkAreWhatThePathConsistsOf) {
  // Without slow-down a step of an input changes the time by that part of the path alone.
  int compared = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Scenario scenario = random_scenario(seed);
    const Explanation explanation = explain(scenario, Estimator::kRecurrence);
    const auto expect_part = [&](const Slope& slope, double whole, Seconds part) {
      if (slope.has_kink()) return;
      ++compared;
      EXPECT_NEAR(slope.central() * whole * 1e-3, part.count(),
                  1e-4 * explanation.result.backward_sync.count())
          << "seed " << seed;
    };
    const Slopes& slopes = explanation.slopes;
    const LinkSpec& nic = scenario.cluster.nic;
    expect_part(slopes.ms_per_gbps, -nic.bandwidth.count() * 1e-9,
                explanation.on_path.exposed_bandwidth);
    expect_part(slopes.ms_per_us, nic.latency.count() * 1e6, explanation.on_path.exposed_latency);
    expect_part(slopes.ms_per_compute_percent, 100.0, explanation.on_path.compute);
    expect_part(slopes.ms_per_payload_percent, 100.0, explanation.on_path.exposed_bandwidth);
  }
  EXPECT_GT(compared, 60);
}

TEST(Explanation, GainsAreWhatAPercentSavesLargestFirst) {
  // signsgd on two ranks: 25 + 10 + 3.125 + 5 ms, no latency.
  Scenario scenario;
  scenario.workload = test::workload_of({{25, 100'000}}, 25);
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  scenario.compression = {parse_scheme("signsgd"), Seconds{10e-3}, Seconds{5e-3}};
  const Explanation explanation = explain(scenario, Estimator::kRecurrence);
  ASSERT_EQ(explanation.gains.size(), 4U);
  EXPECT_EQ(explanation.gains[0].input, Improvement::kCompute);
  EXPECT_NEAR(explanation.gains[0].saved.count(), 250e-6, 1e-9);
  EXPECT_NEAR(explanation.gains[0].step, 250e-6, 1e-12);
  EXPECT_EQ(explanation.gains[1].input, Improvement::kEncodeDecode);
  EXPECT_NEAR(explanation.gains[1].saved.count(), 150e-6, 1e-9);
  EXPECT_EQ(explanation.gains[2].input, Improvement::kBandwidth);
  EXPECT_NEAR(explanation.gains[2].saved.count(), 31.25e-6, 1e-7);
  EXPECT_NEAR(explanation.gains[2].step, 0.32e-3, 1e-12);  // Gbps
  EXPECT_EQ(explanation.gains[3].input, Improvement::kLatency);
  EXPECT_EQ(explanation.gains[3].saved.count(), 0.0);
  ASSERT_TRUE(explanation.uncompressed);
  EXPECT_NEAR(explanation.uncompressed->backward_sync.count(), 125e-3, 1e-9);
}

TEST(Explanation, GoesToTheSlowRankAndNamesTheSlowNic) {
  Scenario scenario;
  scenario.workload = test::workload_of({{20, 100'000}}, 20);
  scenario.cluster = test::flat_cluster(4, 32e6, 0.0);
  scenario.cluster.slow_nics = {{1, 0.5}};
  scenario.workers = 4;
  scenario.compute_factors = {1.0, 1.0, 1.5, 1.0};
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    const Explanation explanation = explain(scenario, estimator);
    ASSERT_EQ(explanation.path.size(), 2U);
    EXPECT_EQ(explanation.path[0].segment.rank, 2);
    EXPECT_NEAR(explanation.path[0].segment.end.count(), 30e-3, 1e-8);
    ASSERT_TRUE(explanation.path[1].link);
    EXPECT_EQ(explanation.path[1].link->load.place, (LinkPlace{LinkKind::kNic, 1, true}));
  }
}

TEST(Explanation, CountsTheBytesOfAllCollectives) {
  // Two all-reduces of 60,000 and 40,000 float32 on four ranks: 2 * 3 / 4 of 400,000 bytes a NIC.
  Scenario scenario = hooked();
  scenario.compression = {};
  const Explanation explanation = explain(scenario, Estimator::kRecurrence);
  ASSERT_EQ(explanation.links.size(), 1U);
  EXPECT_EQ(explanation.links[0].kind, LinkKind::kNic);
  EXPECT_EQ(explanation.links[0].links, 8);
  EXPECT_EQ(explanation.links[0].busiest.bytes, Bytes{600'000});
  EXPECT_EQ(explanation.links[0].bytes, Bytes{8 * 600'000});
  EXPECT_FALSE(explanation.uncompressed);
  EXPECT_TRUE(explanation.exchange.empty());
}

TEST(Explanation, TheFormulaHasNoTimelineToExplain) {
  EXPECT_THAT(test::input_error_of([] { (void)explain(hooked(), Estimator::kFormula); }),
              HasSubstr("simgrid, recurrence"));
}

}  // namespace
}  // namespace gradwire
