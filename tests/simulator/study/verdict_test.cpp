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
  scenario.workload.edit().gradients[0].shape = {100'000};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  return scenario;
}

std::vector<Verdict> verdicts_of(const Scenario& scenario, const Assumptions& assumptions) {
  return compare_with_baselines(corner_times(scenario, assumptions),
                                baseline_times(scenario, assumptions),
                                *scenario.compression.scheme);
}

/// Encode 10 ms, decode 5 ms.
Scenario with_scheme(const std::string& scheme) {
  Scenario scenario = two_ranks();
  scenario.compression = choose_compressor(scheme, scenario, "Tesla V100", CompressionMode::kSerial,
                                           {Seconds{10e-3}, Seconds{5e-3}, {}})
                             .compression;
  return scenario;
}

TEST(Verdict, IsTheTimeWithoutTheCompressorOverTheTimeWithIt) {
  // signsgd: 25 + 10 + 3.125 + 5 = 43.125 ms; float32 25 + 100 ms; fp16 25 + 50 ms.
  const Assumptions sure{1.0, 1.0, 1.0, Seconds{0}, Seconds{0}, {}};
  const std::vector<Verdict> verdicts = verdicts_of(with_scheme("signsgd"), sure);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].baseline, "float32");
  EXPECT_NEAR(verdicts[0].baseline_time.count(), 125e-3, 1e-9);
  EXPECT_NEAR(verdicts[0].speedup, 125.0 / 43.125, 1e-6);
  EXPECT_NEAR(verdicts[0].speedup_low, verdicts[0].speedup, 1e-9);
  EXPECT_FALSE(verdicts[0].is_tie());
  EXPECT_EQ(verdicts[1].baseline, "fp16");
  EXPECT_NEAR(verdicts[1].speedup, 75.0 / 43.125, 1e-6);
}

TEST(Verdict, Fp16IsNotComparedWithItself) {
  Scenario scenario = two_ranks();
  scenario.compression =
      choose_compressor("fp16", scenario, "", CompressionMode::kSerial, {}).compression;
  const Assumptions sure{1.0, 1.0, 1.0, Seconds{0}, Seconds{0}, {}};
  const std::vector<Verdict> verdicts = verdicts_of(scenario, sure);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_NEAR(verdicts[0].speedup, 125.0 / 75.0, 1e-6);
}

TEST(Verdict, WidensWithTheAssumptions) {
  // With 50 ms a message the all-reduce pays it twice, the all-gather once.
  const Assumptions unsure{1.0, 1.0, 1.0, Seconds{0}, Seconds{50e-3}, {}};
  const Verdict verdict = verdicts_of(with_scheme("signsgd"), unsure).front();
  EXPECT_NEAR(verdict.speedup_low, (125.0 + 100) / (43.125 + 50), 1e-6);
  EXPECT_NEAR(verdict.speedup_high, 125.0 / 43.125, 1e-6);
}

TEST(CompressorChoice, ReportsWireBytesAndRatio) {
  const CompressorChoice choice = choose_compressor("signsgd", two_ranks(), "Tesla V100-SXM2-16GB",
                                                    CompressionMode::kSerial, {});
  EXPECT_EQ(choice.wire_bytes, Bytes{12'500});  // 100,000 signs, 32 to a word of 4 bytes
  EXPECT_DOUBLE_EQ(choice.ratio, 32.0);
  EXPECT_GT(choice.compression.encode, Seconds{0});
  EXPECT_FALSE(choice.basis.empty());
}

CompressorChoice choose(const std::string& scheme, const Scenario& scenario,
                        const std::string& device, const GivenCost& given = {}) {
  return choose_compressor(scheme, scenario, device, CompressionMode::kSerial, given);
}

TEST(CompressorChoice, WithoutAProfileOfTheDeviceTheCostMustBeGiven) {
  const Scenario scenario = two_ranks();
  EXPECT_EQ(
      input_error_of([&] { choose("signsgd", scenario, "NVIDIA H200"); }),
      "--compressor: no cost profile fits the device \"NVIDIA H200\"; give --cost-profile, or "
      "--encode-time and --decode-time, as in 20ms");
  EXPECT_FALSE(input_error_of([&] {
                 choose("signsgd", scenario, "", {Seconds{1}, std::nullopt, {}});
               }).empty());
  EXPECT_FALSE(input_error_of([&] {
                 choose("fp16", scenario, "", {Seconds{1}, Seconds{1}, {}});
               }).empty());
}

TEST(CompressorChoice, TakesAProfileThatIsGivenAndNamesAForeignDevice) {
  const CostProfile profile = parse_cost_profile(
      "name: 'mine' device_patterns: 'H200' entry { scheme: 'signsgd' elements: 100000 tensors: 1 "
      "encode_s: 0.001 decode_s: 0.002 standing: MEASURED date: '2026-12' source: 'a test' }",
      "mine.txtpb");
  const Scenario scenario = two_ranks();
  const CompressorChoice own = choose("signsgd", scenario, "NVIDIA H200", {{}, {}, profile});
  EXPECT_DOUBLE_EQ(own.compression.decode.count(), 0.002);
  EXPECT_EQ(own.standing, "measured");
  EXPECT_TRUE(own.warnings.empty());
  const CompressorChoice foreign = choose("signsgd", scenario, "Tesla V100", {{}, {}, profile});
  EXPECT_EQ(foreign.standing, "assumed");
  EXPECT_EQ(foreign.warnings,
            std::vector<std::string>{"cost profile mine is of another device than \"Tesla V100\""});
  EXPECT_NE(input_error_of([&] {
              choose("topk", scenario, "NVIDIA H200", {{}, {}, profile});
            }).find("no model to derive one"),
            std::string::npos);
}

TEST(CompressorChoice, NeverTakesWhatACpuMeasuredForAGpusMeasurement) {
  const CostProfile profile = parse_cost_profile(
      "name: 'reference on Some CPU' device_patterns: 'Some CPU' measuring { device_kind: CPU "
      "device: 'Some CPU' implementation: 'reference' method: 'a test' date: '2026-12-02' } entry "
      "{ "
      "scheme: 'signsgd' elements: 100000 tensors: 1 encode_s: 0.001 decode_s: 0.002 standing: "
      "MEASURED date: '2026-12-02' source: 'a test' }",
      "cpu.txtpb");
  for (const char* device : {"Tesla V100", "NVIDIA H200", ""}) {
    const CompressorChoice choice = choose("signsgd", two_ranks(), device, {{}, {}, profile});
    EXPECT_EQ(choice.standing, "assumed") << device;
    ASSERT_EQ(choice.warnings.size(), 1U) << device;
    EXPECT_NE(
        choice.warnings.front().find("measured on the CPU Some CPU, implementation reference"),
        std::string::npos)
        << choice.warnings.front();
  }
  EXPECT_EQ(choose("signsgd", two_ranks(), "Some CPU", {{}, {}, profile}).standing, "measured");
}

TEST(CompressorChoice, RefusesGradientsThatAreNotFloat32) {
  Scenario scenario = two_ranks();
  scenario.workload.edit().gradients[0].dtype = DType::kBfloat16;
  EXPECT_NE(input_error_of([&] { choose("fp16", scenario, ""); }).find("are bfloat16"),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
