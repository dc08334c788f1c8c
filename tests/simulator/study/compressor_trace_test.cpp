// A compressor's own recorded kernels, replayed one by one.
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// Times in microseconds.
class TraceBuilder {
 public:
  void kernel(const char* name, std::int64_t launch, std::int64_t launch_for, std::int64_t start,
              std::int64_t duration, int stream = 7) {
    Kernel& kernel = add(name, start, duration, stream);
    kernel.launch = Launch{us(launch), us(launch_for), 1};
  }
  void collective(std::int64_t start, std::int64_t duration) {
    add("ncclKernel", start, duration, 20).category = KernelCategory::kCommunication;
  }
  Trace trace;

 private:
  static Nanoseconds us(std::int64_t value) { return Nanoseconds{value * 1000}; }
  Kernel& add(const char* name, std::int64_t start, std::int64_t duration, int stream) {
    Kernel& kernel = trace.kernels.emplace_back();
    kernel.name = static_cast<std::uint32_t>(trace.names.size());
    trace.names.emplace_back(name);
    kernel.stream = StreamId{stream};
    kernel.start = us(start);
    kernel.duration = us(duration);
    return kernel;
  }
};

/// Encode: three launches of 100, 200 and 300 us of host time, kernels of 50, 500 and 10 us, the
/// last on another stream. Two collectives with one kernel between them. Decode: one kernel.
Trace recorded() {
  TraceBuilder builder;
  builder.kernel("e0", 0, 100, 110, 50);
  builder.kernel("e1", 150, 150, 310, 500);
  builder.kernel("e2", 500, 100, 620, 10, 9);
  builder.collective(900, 1000);
  builder.kernel("b0", 700, 20, 2000, 30);
  builder.collective(2100, 500);
  builder.kernel("d0", 800, 40, 2700, 60);
  return builder.trace;
}

TEST(CompressorTrace, CollectivesPartThePhasesAndLaunchesTellTheHostsTime) {
  const CompressorTimeline timeline = make_compressor_timeline(recorded(), "c.json");
  ASSERT_EQ(timeline.encode.size(), 3U);
  ASSERT_EQ(timeline.between.size(), 1U);
  ASSERT_EQ(timeline.decode.size(), 1U);
  // From the end of a launch to the end of the next: 100, then 300 - 100, then 600 - 300.
  EXPECT_NEAR(timeline.encode[0].host.count(), 100e-6, 1e-12);
  EXPECT_NEAR(timeline.encode[1].host.count(), 200e-6, 1e-12);
  EXPECT_NEAR(timeline.encode[2].host.count(), 300e-6, 1e-12);
  EXPECT_FALSE(timeline.encode[1].side_stream);
  EXPECT_TRUE(timeline.encode[2].side_stream);
  // e1 runs from 300 to 800 us, e2 from 600 beside it: the phase ends at 800.
  EXPECT_NEAR(replayed(timeline.encode).count(), 800e-6, 1e-12);
  EXPECT_NEAR(replayed(timeline.between).count(), 50e-6, 1e-12);
  EXPECT_NEAR(replayed(timeline.decode).count(), 100e-6, 1e-12);
}

TEST(CompressorTrace, WithoutCollectivesEverythingIsEncoding) {
  TraceBuilder builder;
  builder.kernel("e0", 0, 10, 20, 50);
  const CompressorTimeline timeline = make_compressor_timeline(builder.trace, "c.json");
  EXPECT_EQ(timeline.encode.size(), 1U);
  EXPECT_TRUE(timeline.decode.empty());
}

TEST(CompressorTrace, TakesTheMiddleCompleteIteration) {
  Trace trace;
  for (int i = 0; i < 3; ++i) {
    Trace one = recorded();
    for (Kernel& kernel : one.kernels) {
      kernel.name += static_cast<std::uint32_t>(trace.names.size());
      kernel.iteration = i;
      kernel.start += Nanoseconds{i * 10'000'000};
      if (kernel.launch) kernel.launch->start += Nanoseconds{i * 10'000'000};
      if (i == 1) kernel.duration *= 2;
    }
    trace.kernels.insert(trace.kernels.end(), one.kernels.begin(), one.kernels.end());
    trace.names.insert(trace.names.end(), one.names.begin(), one.names.end());
    trace.iterations.emplace_back();
  }
  EXPECT_NEAR(make_compressor_timeline(trace, "c").encode[1].device.count(), 1000e-6, 1e-12);
}

TEST(CompressorTrace, WhatCannotBeReplayedIsRefused) {
  EXPECT_NE(test::input_error_of([] {
              make_compressor_timeline(Trace{}, "c.json");
            }).find("c.json: no kernels"),
            std::string::npos);
  Trace unlinked = recorded();
  unlinked.kernels[1].launch.reset();
  EXPECT_NE(test::input_error_of([&] {
              make_compressor_timeline(unlinked, "c.json");
            }).find("kernel e1 has no launch"),
            std::string::npos);
}

/// 25 ms of backward, 100,000 elements, two ranks at 32 Mbps without latency: an all-reduce of e
/// float32 takes e microseconds.
Scenario scenario_with(CompressionMode mode) {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.workload.edit().gradients[0].shape = {200, 300};
  scenario.workload.edit().gradients[1].shape = {40'000};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  GivenCost given;
  given.timeline =
      std::make_shared<const CompressorTimeline>(make_compressor_timeline(recorded(), "c.json"));
  scenario.compression =
      choose_compressor("powersgd:rank=2", scenario, "any device", mode, given).compression;
  return scenario;
}

TEST(CompressorTrace, IsReplayedKernelByKernelByEveryEstimator) {
  const Scenario scenario = scenario_with(CompressionMode::kSerial);
  // 25 + 0.8, then 1-D tensors 40 and P 0.4 ms, 0.05 between, Q 0.6, decode 0.1.
  const double expected = 25 + 0.8 + 40 + 0.4 + 0.05 + 0.6 + 0.1;
  for (const Estimator estimator :
       {Estimator::kFormula, Estimator::kRecurrence, Estimator::kSimgrid}) {
    const IterationResult result = estimate(scenario, estimator);
    EXPECT_NEAR(result.backward_sync.count() * 1e3, expected, 1e-6) << name_of(estimator);
    EXPECT_NEAR(result.breakdown.total().count() * 1e3, expected, 1e-6) << name_of(estimator);
  }
  const Breakdown parts = estimate(scenario, Estimator::kRecurrence).breakdown;
  // 50 + 500 + 30; the 10 on the other stream run beside the 500.
  EXPECT_NEAR(parts.encode.count(), 580e-6, 1e-9);
  EXPECT_NEAR(parts.decode.count(), 60e-6, 1e-9);
  EXPECT_GT(parts.host, Seconds{0});
}

TEST(CompressorTrace, GetsCheaperWithItsKernels) {
  const Scenario half = with_cheaper_encode(scenario_with(CompressionMode::kSerial), 2.0);
  EXPECT_NEAR(estimate(half, Estimator::kRecurrence).backward_sync.count() * 1e3,
              25 + 0.4 + 40 + 0.4 + 0.025 + 0.6 + 0.05, 1e-6);
}

TEST(CompressorTrace, OverlappedIsRefused) {
  EXPECT_NE(test::input_error_of([] {
              scenario_with(CompressionMode::kOverlapped);
            }).find("--compressor-trace"),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
