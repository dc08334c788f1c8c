#include "simulator/questions/slopes.hpp"
#include "platforms/model/fat_tree.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "compressors/spec/registry.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/workload_file.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// Two ranks on 32 Mbps without latency, so that an all-reduce of e float32 takes e microseconds.
Scenario two_ranks(const std::vector<test::GradientAt>& gradients) {
  Scenario scenario;
  scenario.workload = test::workload_of(gradients, 25);
  scenario.caps = {Bytes{1}, Bytes{1}};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  return scenario;
}

/// ResNet-50 as recorded on a V100, 64 workers on nodes of four at 10 Gbps.
Scenario resnet50(const std::string& compressor = {},
                  CompressionMode mode = CompressionMode::kSerial) {
  Scenario scenario;
  WorkloadSource source;
  source.trace =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces/data/v100-resnet50-b32/trace.gwt";
  scenario.workload = read_workload(source, {});
  scenario.cluster = test::mixed_cluster(16, 4);
  scenario.workers = 64;
  scenario.overlap_slowdown = 1.07;
  if (!compressor.empty()) {
    scenario.compression =
        choose_compressor(compressor, scenario, "Tesla V100", mode, {}).compression;
  }
  return scenario;
}

void expect_within(double found, double expected, double relative) {
  EXPECT_NEAR(found, expected, relative * std::abs(expected));
}

TEST(Slopes, OnBothSidesOfAPlaceWhereComputeAndNetworkMeet) {
  // The first all-reduce takes from 10 to 20 ms, just when the second gradient is ready, the second
  // from 20 to 40.
  const Slopes slopes = measure_slopes(two_ranks({{10, 10'000}, {20, 20'000}}));
  // A faster network hides the first; a slower one pays for 30 ms of transfers. 0.032 Gbps.
  EXPECT_TRUE(slopes.ms_per_gbps.has_kink());
  expect_within(slopes.ms_per_gbps.more, -20.0 / 0.032, 2e-3);
  expect_within(*slopes.ms_per_gbps.less, -30.0 / 0.032, 2e-3);
  expect_within(slopes.ms_per_payload_percent.more, 0.3, 2e-3);
  expect_within(*slopes.ms_per_payload_percent.less, 0.2, 2e-3);
  // Slower compute has the second wait for its gradient at 20 ms; with faster compute it waits for
  // the first, which begins at 10 ms.
  EXPECT_TRUE(slopes.ms_per_compute_percent.has_kink());
  expect_within(slopes.ms_per_compute_percent.more, 0.2, 1e-6);
  expect_within(*slopes.ms_per_compute_percent.less, 0.1, 1e-6);
  // Two collectives of two rounds; there is no less than no latency.
  EXPECT_FALSE(slopes.ms_per_us.less);
  EXPECT_FALSE(slopes.ms_per_us.has_kink());
  expect_within(slopes.ms_per_us.more, 4e-3, 1e-6);
  EXPECT_FALSE(slopes.ms_per_encode_ms);
}

TEST(Slopes, OfSerialCompressionPayEveryMillisecondOfEncoding) {
  Scenario scenario = two_ranks({{25, 100'000}});
  scenario.workload.edit().gradients[0].shape = {100'000};
  scenario.compression = {parse_scheme("signsgd"), Seconds{10e-3}, Seconds{5e-3}};
  const Slopes slopes = measure_slopes(scenario);
  ASSERT_TRUE(slopes.ms_per_encode_ms);
  expect_within(slopes.ms_per_encode_ms->central(), 1.0, 1e-6);
  EXPECT_DOUBLE_EQ(slopes.encode_decode->count(), 15e-3);
  expect_within(slopes.ms_per_compute_percent.central(), 0.25, 1e-6);
  // 3125 words in 3.125 ms.
  expect_within(slopes.ms_per_payload_percent.central(), 0.03125, 1e-3);
}

TEST(Slopes, OfOneWorkerAreThoseOfItsCompute) {
  Scenario scenario = two_ranks({{10, 10'000}});
  scenario.workers = 1;
  const Slopes slopes = measure_slopes(scenario);
  EXPECT_EQ(slopes.ms_per_gbps.central(), 0.0);
  EXPECT_EQ(slopes.ms_per_us.central(), 0.0);
  expect_within(slopes.ms_per_compute_percent.central(), 0.25, 1e-6);
}

struct Case {
  std::string name;
  Scenario scenario;
};

std::vector<Case> cases() {
  Scenario tiny = resnet50();
  tiny.caps = {Bytes{64'000}, Bytes{64'000}};
  Scenario trunks = resnet50();
  trunks.cluster = test::mixed_cluster(16, 4);
  trunks.cluster.topology = racks(trunks.cluster.nodes, 4, 4.0);
  trunks.ring_order = shuffled_nodes(trunks.cluster, trunks.workers, 3);
  return {{"uncompressed", resnet50()},
          {"serial", resnet50("powersgd:rank=4")},
          {"overlapped", resnet50("powersgd:rank=4", CompressionMode::kOverlapped)},
          {"gathered", resnet50("signsgd")},
          {"tiny buckets", tiny},
          {"shared trunks", trunks}};
}

TEST(Slopes, TellWhatSimgridFindsForASmallStepWithinAPercent) {
  // Half a percent: for a whole one the curvature of bytes over bandwidth alone makes a percent.
  for (const auto& [name, scenario] : cases()) {
    const Seconds here = estimate(scenario, Estimator::kSimgrid).backward_sync;
    const Slopes slopes = measure_slopes(scenario);
    const auto expect_change = [&, &name = name](const char* input, const Scenario& changed,
                                                 const Slope& slope, double units) {
      const double found = (estimate(changed, Estimator::kSimgrid).backward_sync - here).count();
      const double side = units < 0.0 ? slope.less.value() : slope.more;
      // 1e-8: dates of SimGrid.
      EXPECT_NEAR(side * units * 1e-3, found, 0.01 * std::abs(found) + 1e-8)
          << name << ": " << input << " by " << units;
    };
    for (const double step : {-0.005, 0.005}) {
      Scenario changed = scenario;
      LinkSpec& nic = changed.cluster.nic;
      nic.bandwidth = nic.bandwidth * (1.0 + step);
      expect_change("Gbps", changed, slopes.ms_per_gbps,
                    scenario.cluster.nic.bandwidth.count() * 1e-9 * step);
      nic = scenario.cluster.nic;
      nic.latency *= 1.0 + step;
      expect_change("us", changed, slopes.ms_per_us,
                    scenario.cluster.nic.latency.count() * 1e6 * step);
      expect_change("compute", with_faster_compute(scenario, 1.0 / (1.0 + step)),
                    slopes.ms_per_compute_percent, step * 100.0);
      if (!slopes.ms_per_encode_ms) continue;
      expect_change("encode", with_cheaper_encode(scenario, 1.0 / (1.0 + step)),
                    *slopes.ms_per_encode_ms, slopes.encode_decode->count() * 1e3 * step);
    }
  }
}

TEST(Slopes, OfThePayloadAreThoseOfMoreElementsWhereTheseAreMany) {
  const Scenario scenario = resnet50();
  const double here = estimate(scenario, Estimator::kSimgrid).backward_sync.count();
  const double found =
      estimate(with_payload(scenario, 1.01), Estimator::kSimgrid).backward_sync.count() - here;
  expect_within(measure_slopes(scenario).ms_per_payload_percent.more * 1e-3, found, 0.01);
}

}  // namespace
}  // namespace gradwire
