// Compression of each bucket beside the backward pass: the plan, what it costs, and all engines.
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/overlap_loss.hpp"
#include "simulator/study/workload_file.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// Every element all-reduced as it is, at no cost: a hook that does nothing.
class FreeScheme : public Scheme {
 public:
  std::string spelling() const override { return "free"; }
  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    return {{"gradients", CollectiveKind::kAllReduce, total_elements(tensors), Bytes{4}}};
  }
  DeviceWork work(const std::vector<TensorShape>&, int) const override { return {}; }
};

/// Two buckets of 60,000 and 40,000 elements, ready at 10 and 20 of 25 ms. Two ranks, no latency,
/// 32 Mbps: an all-reduce of e float32 takes e microseconds.
Scenario two_buckets(std::shared_ptr<const Scheme> scheme) {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.workload.edit().gradients[0].shape = {200, 300};
  scenario.workload.edit().gradients[1].shape = {40'000};
  scenario.caps = {Bytes{1}, Bytes{1}};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  scenario.compression.scheme = std::move(scheme);
  scenario.compression.mode = CompressionMode::kOverlapped;
  scenario.compression.buckets.resize(2);
  return scenario;
}

Seconds ms(double value) { return Seconds{value * 1e-3}; }

double milliseconds(const Scenario& scenario, Estimator estimator = Estimator::kRecurrence) {
  return estimate(scenario, estimator).backward_sync.count() * 1e3;
}

TEST(OverlappedCompression, AHookThatDoesNothingChangesNothing) {
  const Scenario hooked = two_buckets(std::make_shared<FreeScheme>());
  Scenario plain = hooked;
  plain.compression = {};
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    EXPECT_EQ(milliseconds(hooked, estimator), milliseconds(plain, estimator));
  }
  EXPECT_NEAR(milliseconds(plain), 110.0, 1e-6);  // 60 from 10 ms on, then 40
}

TEST(OverlappedCompression, ThePlanHasHostDeviceAndNetworkOfEachBucket) {
  Scenario scenario = two_buckets(parse_scheme("powersgd:rank=2"));
  scenario.workload.edit().gradients[0].launched = ms(4);
  scenario.workload.edit().gradients[1].launched = ms(7);
  scenario.compression.buckets[0] = {
      {ms(1), ms(2), {}}, {ms(3), ms(0.5), {}}, {ms(0.5), ms(1), ms(0.1)}};
  EXPECT_EQ(to_text(make_plan(scenario)),
            "workers 2 overlap_slowdown 1 latency blocking\n"
            "0 host launch C0 4.000000ms\n"
            "1 compute C0 10.000000ms\n"
            "2 host launch encode0 1.000000ms after 0\n"
            "3 encode encode0 2.000000ms after 0,1\n"
            "4 communicate P 0 all_reduce 400x4B after 2,3\n"
            "5 host launch between0 3.000000ms after 2\n"
            "6 encode between0 0.500000ms on side after 2,4\n"
            "7 communicate Q 0 all_reduce 600x4B after 5,6\n"
            "8 host launch decode0 1.100000ms after 5,7\n"
            "9 decode decode0 1.000000ms on side after 5,7\n"
            "10 host launch C1 3.000000ms after 8,9\n"
            "11 compute C1 10.000000ms after 8,9\n"
            "12 communicate 1-D tensors 1 all_reduce 40000x4B after 11\n"
            "13 compute C-tail 5.000000ms after 10\n");
}

TEST(OverlappedCompression, AHookThatKeepsTheHostDelaysTheBackwardPass) {
  Scenario scenario = two_buckets(parse_scheme("signsgd"));
  for (ReadyGradient& gradient : scenario.workload.edit().gradients)
    gradient.launched = gradient.ready;
  scenario.compression.buckets[0].encode.host = ms(30);
  // The host hands bucket 0 over at 10 ms and is kept until 40; the rest of the backward pass, 15
  // ms, follows. 1250 words of signs take 1.25 ms behind the gradient at 50.
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    EXPECT_NEAR(milliseconds(scenario, estimator), 55.0, 1e-6);
  }
  const Breakdown parts = estimate(scenario, Estimator::kRecurrence).breakdown;
  EXPECT_NEAR(parts.host.count(), 30e-3, 1e-9);
  EXPECT_NEAR(parts.total().count(), 55e-3, 1e-9);
  // A host that is 30 ms ahead loses nothing.
  for (ReadyGradient& gradient : scenario.workload.edit().gradients) gradient.launched = ms(0);
  scenario.workload.edit().gradients[0].launched = ms(-30);
  scenario.compression.buckets[0].encode.host = ms(10);
  EXPECT_NEAR(milliseconds(scenario), 25.0, 1e-6);
}

TEST(OverlappedCompression, EncodingStandsInFrontOfTheBackwardKernels) {
  Scenario scenario = two_buckets(parse_scheme("signsgd"));
  scenario.compression.buckets[0].encode.device = ms(8);
  EXPECT_NEAR(milliseconds(scenario), 33.0, 1e-6);  // 25 + 8
  scenario.compression.overlap_costs.stream_order = false;
  EXPECT_NEAR(milliseconds(scenario), 25.0, 1e-6);
}

TEST(OverlappedCompression, DecodingTakesHalfTheDeviceFromTheBackwardPass) {
  Scenario scenario = two_buckets(parse_scheme("signsgd"));
  scenario.compression.buckets[0].decode.device = ms(4);
  // Signs arrive at 11.875 ms; 8 ms at half rate hold the backward pass up by 4.
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    EXPECT_NEAR(milliseconds(scenario, estimator), 29.0, 1e-6);
  }
  scenario.compression.overlap_costs.device_share = false;
  EXPECT_NEAR(milliseconds(scenario), 25.0, 1e-6);
}

TEST(OverlappedCompression, AHostThatReadsAResultWaitsForTheDevice) {
  Scenario scenario = two_buckets(parse_scheme("signsgd"));
  for (ReadyGradient& gradient : scenario.workload.edit().gradients) gradient.launched = ms(0);
  scenario.compression.buckets[0].encode = {ms(1), ms(2), ms(3)};
  // Far ahead, but it waits for bucket 0 at 10 ms, then 2 ms of device and 3 of reading: the rest
  // of the backward pass, 15 ms, begins at 15.
  EXPECT_NEAR(milliseconds(scenario), 30.0, 1e-6);
}

TEST(OverlappedCompression, TheLossIsSplitWithoutARest) {
  Scenario scenario = two_buckets(parse_scheme("signsgd"));
  for (ReadyGradient& gradient : scenario.workload.edit().gradients)
    gradient.launched = gradient.ready;
  scenario.compression.encode = ms(40);
  scenario.compression.decode = ms(5);
  scenario.compression.buckets[0] = {{ms(20), ms(6), {}}, {}, {ms(1), ms(3), {}}};
  scenario.compression.buckets[1] = {{ms(20), ms(6), {}}, {}, {ms(1), ms(2), {}}};
  const OverlapLoss loss = measure_overlap_loss(scenario);
  EXPECT_NEAR(loss.serial.count(), (25 + 40 + 3.125 + 5) * 1e-3, 1e-9);
  EXPECT_NEAR(loss.overlapped.count(), milliseconds(scenario) * 1e-3, 1e-12);
  EXPECT_NEAR(
      (loss.serial - loss.hidden + loss.host + loss.stream_order + loss.device_share).count(),
      loss.overlapped.count(), 1e-12);
  EXPECT_GT(loss.hidden, Seconds{0});
  EXPECT_GT(loss.host, Seconds{0});
  EXPECT_GE(loss.stream_order, Seconds{0});
  EXPECT_GE(loss.device_share, Seconds{0});
}

TEST(OverlappedCompression, TheFormulaRefusesIt) {
  const Scenario scenario = two_buckets(parse_scheme("signsgd"));
  EXPECT_FALSE(can_answer(Estimator::kFormula, scenario));
  EXPECT_NE(test::input_error_of([&] {
              estimate(scenario, Estimator::kFormula);
            }).find("beside the backward pass"),
            std::string::npos);
}

TEST(OverlappedCompression, UnevenRanksAreForSimgrid) {
  Scenario scenario = two_buckets(parse_scheme("signsgd"));
  scenario.compression.buckets[0].decode.device = ms(4);
  scenario.compute_factors = {1.0, 1.5};
  EXPECT_FALSE(test::input_error_of([&] { milliseconds(scenario); }).empty());
  EXPECT_GT(milliseconds(scenario, Estimator::kSimgrid), 29.0);
}

/// The shipped trace with every scheme's costs, overlapped.
class ShippedTrace : public testing::TestWithParam<const char*> {
 protected:
  Scenario scenario_of(const std::string& scheme, int workers) const {
    WorkloadSource source;
    source.trace =
        std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces/data/v100-resnet50-b32/trace.gwt";
    Scenario scenario;
    scenario.workload = read_workload(source, {});
    scenario.cluster = test::mixed_cluster(24, 4);
    scenario.workers = workers;
    scenario.overlap_slowdown = 1.07;
    scenario.compression =
        choose_compressor(scheme, scenario, "Tesla V100", CompressionMode::kOverlapped, {})
            .compression;
    return scenario;
  }
};

TEST_P(ShippedTrace, RecurrenceCoupledAndStepAgree) {
  for (const int workers : {4, 8}) {
    const Scenario scenario = scenario_of(GetParam(), workers);
    const double recurrence = milliseconds(scenario);
    EXPECT_NEAR(milliseconds(scenario, Estimator::kSimgrid), recurrence, recurrence * 1e-3);
    EstimatorSettings step;
    step.simgrid.mode = SimgridMode::kStep;
    EXPECT_NEAR(estimate(scenario, Estimator::kSimgrid, step).backward_sync.count() * 1e3,
                recurrence, recurrence * 1e-3);
  }
}

TEST_P(ShippedTrace, LeavingACostOutIsNeverSlowerAndTheBreakdownSumsUp) {
  for (const int workers : {8, 96}) {
    const OverlapLoss loss = measure_overlap_loss(scenario_of(GetParam(), workers));
    EXPECT_GE(loss.host.count(), -1e-9);
    EXPECT_GE(loss.stream_order.count(), -1e-9);
    EXPECT_GE(loss.device_share.count(), -1e-9);
    const IterationResult result =
        estimate(scenario_of(GetParam(), workers), Estimator::kRecurrence);
    EXPECT_NEAR(result.breakdown.total().count(), result.backward_sync.count(), 1e-9);
  }
}

TEST_P(ShippedTrace, ReplaysTheRecordedPassWhereHooksCostNothing) {
  Scenario scenario = scenario_of(GetParam(), 8);
  for (BucketCost& bucket : scenario.compression.buckets) bucket = {};
  scenario.overlap_slowdown = 1.0;
  const IterationResult result = estimate(scenario, Estimator::kRecurrence);
  EXPECT_NEAR(result.breakdown.compute.count(), scenario.workload->backward_span.count(), 1e-9);
  EXPECT_NEAR(result.breakdown.host.count(), 0.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ShippedTrace,
                         testing::Values("powersgd:rank=4", "powersgd:rank=16,hook_sync=false",
                                         "signsgd", "mstopk:fraction=0.01", "topk:fraction=0.01",
                                         "randomk:fraction=0.01"),
                         [](const auto& scheme) {
                           return "Scheme" + std::to_string(scheme.index);
                         });

TEST(OverlappedCompression, PyTorchsHookGivesBackWhatOverlappingHides) {
  // It waits for the device behind each bucket, so that hardly any communication stays hidden.
  Scenario scenario;
  WorkloadSource source;
  source.trace =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces/data/v100-resnet50-b32/trace.gwt";
  scenario.workload = read_workload(source, {});
  scenario.cluster = test::mixed_cluster(24, 4);
  scenario.workers = 64;
  const auto loss = [&](const std::string& scheme) {
    scenario.compression =
        choose_compressor(scheme, scenario, "Tesla V100", CompressionMode::kOverlapped, {})
            .compression;
    return measure_overlap_loss(scenario);
  };
  const OverlapLoss waiting = loss("powersgd:rank=4");
  const OverlapLoss not_waiting = loss("powersgd:rank=4,hook_sync=false");
  EXPECT_GT(waiting.host, 0.9 * waiting.hidden);
  EXPECT_LT(not_waiting.host, 0.5 * not_waiting.hidden);
}

}  // namespace
}  // namespace gradwire
