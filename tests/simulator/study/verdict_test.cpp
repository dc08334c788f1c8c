#include "simulator/study/verdict.hpp"

#include <gtest/gtest.h>

#include "simulator/study/compressor_choice.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

using test::input_error_of;

/// 100,000 float32 in one vector, ready after 25 ms; two ranks whose all-reduce takes 100 ms.
Scenario two_ranks() {
  Scenario scenario;
  scenario.workload = test::workload_of({{25, 100'000}}, 25);
  scenario.workload.gradients[0].shape = {100'000};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  return scenario;
}

TEST(Verdict, IsTheTimeWithoutTheCompressorOverTheTimeWithIt) {
  // signsgd: 25 + 10 + 3.125 + 5 = 43.125 ms; float32 25 + 100 ms; fp16 25 + 50 ms.
  Scenario scenario = two_ranks();
  const CompressorChoice choice = choose_compressor("signsgd", scenario.workload, "Tesla V100", 2,
                                                    {Seconds{10e-3}, Seconds{5e-3}});
  scenario.compression = choice.compression;
  const Assumptions sure{1.0, 1.0, 1.0, Seconds{0}, Seconds{0}, {}};
  const Seconds time = estimate(scenario, Estimator::kFormula).backward_sync;
  const Verdict verdict = compare_with(scenario, time, {}, "float32", Estimator::kFormula, sure);
  EXPECT_NEAR(verdict.baseline_time.count(), 125e-3, 1e-9);
  EXPECT_NEAR(verdict.speedup, 125.0 / 43.125, 1e-6);
  EXPECT_NEAR(verdict.speedup_low, verdict.speedup, 1e-9);
  EXPECT_FALSE(verdict.is_tie());
  const CompressorChoice half = choose_compressor("fp16", scenario.workload, "", 2, {});
  EXPECT_NEAR(
      compare_with(scenario, time, half.compression, "fp16", Estimator::kFormula, sure).speedup,
      75.0 / 43.125, 1e-6);
}

TEST(Verdict, WidensWithTheAssumptions) {
  Scenario scenario = two_ranks();
  scenario.compression =
      choose_compressor("signsgd", scenario.workload, "", 2, {Seconds{10e-3}, Seconds{5e-3}})
          .compression;
  // With 50 ms a message the all-reduce pays it twice, the all-gather once.
  const Assumptions unsure{1.0, 1.0, 1.0, Seconds{0}, Seconds{50e-3}, {}};
  const Seconds time = estimate(scenario, Estimator::kFormula).backward_sync;
  const Verdict verdict = compare_with(scenario, time, {}, "float32", Estimator::kFormula, unsure);
  EXPECT_NEAR(verdict.speedup_low, (125.0 + 100) / (43.125 + 50), 1e-6);
  EXPECT_NEAR(verdict.speedup_high, 125.0 / 43.125, 1e-6);
}

TEST(CompressorChoice, ReportsWireBytesAndRatio) {
  const CompressorChoice choice =
      choose_compressor("signsgd", two_ranks().workload, "Tesla V100-SXM2-16GB", 2, {});
  EXPECT_EQ(choice.wire_bytes, Bytes{12'500});  // 100,000 signs, 32 to a word of 4 bytes
  EXPECT_DOUBLE_EQ(choice.ratio, 32.0);
  EXPECT_GT(choice.compression.encode, Seconds{0});
  EXPECT_FALSE(choice.basis.empty());
}

TEST(CompressorChoice, WithoutAProfileOfTheDeviceTheCostMustBeGiven) {
  const Workload workload = two_ranks().workload;
  EXPECT_EQ(input_error_of([&] { choose_compressor("signsgd", workload, "NVIDIA H200", 2, {}); }),
            "--compressor: no cost profile fits the device \"NVIDIA H200\"; give --encode-time and "
            "--decode-time, as in 20ms");
  EXPECT_FALSE(input_error_of([&] {
                 choose_compressor("signsgd", workload, "", 2, {Seconds{1}, std::nullopt});
               }).empty());
  EXPECT_FALSE(input_error_of([&] {
                 choose_compressor("fp16", workload, "", 2, {Seconds{1}, Seconds{1}});
               }).empty());
}

TEST(CompressorChoice, RefusesGradientsThatAreNotFloat32) {
  Workload workload = two_ranks().workload;
  workload.gradients[0].dtype = DType::kBfloat16;
  EXPECT_NE(
      input_error_of([&] { choose_compressor("fp16", workload, "", 2, {}); }).find("are bfloat16"),
      std::string::npos);
}

}  // namespace
}  // namespace gradwire
