#include "simulator/questions/break_even.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/questions/break_even_band.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

constexpr std::int64_t kElements = 4'000'000;

/// 4 nodes without latency at 9 Gbps; one gradient of 4M elements, ready at the end of 10 ms; signs
/// with 20 ms of encoding and decoding. The all-reduce sends 2 * 3 messages of 1M float32, 192 Mbit
/// in turn; the all-gather of signs 3 messages of 4M bits, 12 Mbit.
BreakEvenQuestion signs_of_one_bucket() {
  BreakEvenQuestion question;
  Scenario& scenario = question.scenario;
  scenario.workload = test::workload_of({{10.0, kElements}}, 10.0);
  scenario.workload.edit().batch = 32;
  scenario.cluster = test::flat_cluster(4, 9e9, 0.0);
  scenario.workers = 4;
  scenario.compression = {parse_scheme("signsgd"), Seconds{15e-3}, Seconds{5e-3}};
  question.compression_at = [](const Scenario& at) { return at.compression; };
  return question;
}

BreakEven find(const BreakEvenQuestion& question, BreakEvenUnknown unknown,
               BreakEvenGoal goal = BreakEvenGoal::kFaster) {
  return find_break_even(question, unknown, goal, default_range(unknown, question.scenario));
}

TEST(BreakEven, TheCrossingBandwidthIsWhatIsSavedOverWhatCodingCosts) {
  const BreakEven found = find(signs_of_one_bucket(), BreakEvenUnknown::kBandwidth);
  ASSERT_EQ(found.holds.size(), 1U);
  // 180 Mbit less take 20 ms at 9 Gbps.
  EXPECT_DOUBLE_EQ(found.holds[0].from, 0.1e9);
  EXPECT_FALSE(found.holds[0].from_is_root);
  EXPECT_NEAR(found.holds[0].to, 9e9, 9e9 * 1e-6);
  EXPECT_TRUE(found.holds[0].to_is_root);
  EXPECT_TRUE(found.holds_at(8.99e9));
  EXPECT_FALSE(found.holds_at(9.01e9));
  // At 0.1 Gbps 10 + 1920 ms over 10 + 20 + 120 ms.
  EXPECT_NEAR(found.value_low, 1930.0 / 150.0, 1e-9);
  EXPECT_DOUBLE_EQ(found.here.value(), 9e9);
  EXPECT_NEAR(found.value_here, 1.0, 1e-9);
}

TEST(BreakEven, TheBaselineCanBeACast) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.baseline = parse_scheme("fp16");
  // 96 Mbit in float16, 84 less with signs.
  EXPECT_NEAR(find(question, BreakEvenUnknown::kBandwidth).holds.at(0).to, 84e6 / 20e-3, 1e4);
}

TEST(BreakEven, TheCodecsBudgetIsTheBaselinesTimeLessTheWires) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.cluster.nic.bandwidth = BitsPerSecond{10e9};
  const BreakEven found = find(question, BreakEvenUnknown::kCodec);
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_FALSE(found.holds[0].from_is_root);
  EXPECT_NEAR(found.holds[0].to, 18e-3, 18e-9);
  EXPECT_DOUBLE_EQ(found.here.value(), 20e-3);
  EXPECT_NEAR(found.value_here, (10.0 + 19.2) / (10.0 + 20.0 + 1.2), 1e-9);
}

TEST(BreakEven, TheCodecsBudgetNeedsNoCostProfile) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.compression.encode = question.scenario.compression.decode = Seconds{0};
  question.costs_known = false;
  const BreakEven found = find(question, BreakEvenUnknown::kCodec);
  EXPECT_NEAR(found.holds.at(0).to, 20e-3, 20e-9);
  EXPECT_FALSE(found.here.has_value());
  for (const BreakEvenUnknown unknown : {BreakEvenUnknown::kBandwidth, BreakEvenUnknown::kBatch,
                                         BreakEvenUnknown::kWorkers, BreakEvenUnknown::kCompute}) {
    EXPECT_THROW((void)find(question, unknown), InputError) << name_of(unknown);
  }
}

TEST(BreakEven, AnOverlappedCodecsBudgetIsSpreadOverItsBuckets) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.costs_known = false;
  question.scenario.compression.mode = CompressionMode::kOverlapped;
  // One bucket at the end of the backward pass: nothing to hide behind.
  EXPECT_NEAR(find(question, BreakEvenUnknown::kCodec).holds.at(0).to, 20e-3, 20e-9);
}

TEST(BreakEven, TheRatioForAnEfficiencyFollowsFromTheTimeThatIsAllowed) {
  const BreakEven found =
      find(signs_of_one_bucket(), BreakEvenUnknown::kRatio, BreakEvenGoal::kEfficientUncompressed);
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_TRUE(found.holds[0].from_is_root);
  // 90 % of 10 ms leave 1/9 of it for 192 Mbit / ratio at 9 Gbps.
  EXPECT_NEAR(found.holds[0].from, 192e6 / 9e9 / (10e-3 / 9.0), 1e-3);
  EXPECT_DOUBLE_EQ(found.holds[0].to, 1e4);
  EXPECT_NEAR(found.value_here, 10.0 / (10.0 + 64.0 / 3.0), 1e-9);
}

TEST(BreakEven, LatencyCanForbidAnEfficiencyAtAnyRatio) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.cluster.nic.latency = Seconds{1e-3};
  const BreakEven found =
      find(question, BreakEvenUnknown::kRatio, BreakEvenGoal::kEfficientUncompressed);
  EXPECT_TRUE(found.holds.empty());
  // Six messages of 1 ms, and 19.2 kbit at 9 Gbps.
  EXPECT_NEAR(found.value_high, 10.0 / (16.0 + 19.2e3 / 9e9 * 1e3), 1e-9);
}

TEST(BreakEven, TheBandwidthForAnEfficiencyNeedsNoCompressor) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.compression = {};
  question.target_efficiency = 0.5;
  const BreakEven found =
      find(question, BreakEvenUnknown::kBandwidth, BreakEvenGoal::kEfficientUncompressed);
  EXPECT_NEAR(found.holds.at(0).from, 19.2e9, 19.2e3);
  EXPECT_FALSE(found.holds.at(0).to_is_root);
  EXPECT_THROW((void)find(question, BreakEvenUnknown::kBandwidth), InputError);
}

TEST(BreakEven, BatchesAreWholeNumbers) {
  BreakEvenQuestion question = signs_of_one_bucket();
  // 9 times 21.3 ms of communication are 192 ms of compute, a batch of 614.4.
  const BreakEven efficient =
      find(question, BreakEvenUnknown::kBatch, BreakEvenGoal::kEfficientUncompressed);
  ASSERT_EQ(efficient.holds.size(), 1U);
  EXPECT_EQ(efficient.holds[0].from, 615.0);
  EXPECT_EQ(efficient.holds[0].to, 4096.0);
  // Ready at the start, the gradient hides behind compute: at 4.5 Gbps 42.67 ms against compute, 19
  // ms of coding and 2.67 ms, so compute up to 21 ms pays, a batch of 67.2.
  question.scenario.workload.edit().gradients[0].ready = Seconds{0};
  question.scenario.cluster.nic.bandwidth = BitsPerSecond{4.5e9};
  question.scenario.compression.encode = Seconds{14e-3};
  const BreakEven faster = find(question, BreakEvenUnknown::kBatch);
  ASSERT_EQ(faster.holds.size(), 1U);
  EXPECT_EQ(faster.holds[0].from, 1.0);
  EXPECT_EQ(faster.holds[0].to, 67.0);
  EXPECT_TRUE(faster.holds[0].to_is_root);
}

TEST(BreakEven, ABatchThatNobodyStatesIsNotGuessed) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.workload.edit().batch.reset();
  EXPECT_THAT(test::input_error_of([&] { (void)find(question, BreakEvenUnknown::kBatch); }),
              testing::HasSubstr("--recorded-batch"));
}

TEST(BreakEven, WorkersAreWholeNumbersAndEqualTimesNoGain) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.cluster = test::flat_cluster(100, 9e9, 0.0);
  question.scenario.compression.encode = question.scenario.compression.decode = Seconds{0};
  const BreakEven found = find(question, BreakEvenUnknown::kWorkers);
  // 2 (n - 1) / n float32 against n - 1 times a bit: equal for 64, where 62,500 elements a chunk
  // are whole.
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_EQ(found.holds[0].from, 2.0);
  EXPECT_EQ(found.holds[0].to, 63.0);
}

TEST(BreakEven, CostsFollowTheWorkers) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.cluster = test::flat_cluster(32, 9e9, 0.0);
  // Decoding in proportion to the workers: 5 ms at 4, so 15 + 1.25 n against
  // 21.33 * 4/3 (n-1)/n - 4/9 (n-1) ms: at 4 they are equal (20), at 5 20.98 against 21.25, and at
  // no number more.
  question.compression_at = [](const Scenario& at) {
    Compression compression = at.compression;
    compression.decode = Seconds{1.25e-3 * at.workers};
    return compression;
  };
  EXPECT_TRUE(find(question, BreakEvenUnknown::kWorkers).holds.empty());
  // At 1 ms a worker: 4: 19 < 20; 5: 20 < 20.98; 6: 21 < 21.48; 7: 22 > 21.71; 3: 18 < 18.07;
  // 2: 17 > 13.8.
  question.compression_at = [](const Scenario& at) {
    Compression compression = at.compression;
    compression.decode = Seconds{1e-3 * at.workers};
    return compression;
  };
  question.scenario.compression.decode = Seconds{4e-3};
  const BreakEven found = find(question, BreakEvenUnknown::kWorkers);
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_EQ(found.holds[0].from, 3.0);
  EXPECT_EQ(found.holds[0].to, 6.0);
}

TEST(BreakEven, ASingleNumberOfWorkersIsNotOverlooked) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.cluster = test::flat_cluster(96, 9e9, 0.0);
  question.scenario.compression.encode = Seconds{1.0};
  question.compression_at = [](const Scenario& at) {
    Compression compression = at.compression;
    if (at.workers == 53) compression.encode = compression.decode = Seconds{0};
    return compression;
  };
  const BreakEven found = find(question, BreakEvenUnknown::kWorkers);
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_EQ(found.holds[0].from, 53.0);
  EXPECT_EQ(found.holds[0].to, 53.0);
}

TEST(BreakEven, FasterComputeMakesACompressorPay) {
  BreakEvenQuestion question = signs_of_one_bucket();
  // Ready at the start: 21.33 ms against compute, 15 ms of coding and 1.33 ms: compute below 5 ms.
  question.scenario.workload.edit().gradients[0].ready = Seconds{0};
  question.scenario.compression.encode = Seconds{10e-3};
  const BreakEven found = find(question, BreakEvenUnknown::kCompute);
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_TRUE(found.holds[0].from_is_root);
  EXPECT_NEAR(found.holds[0].from, 2.0, 2e-6);
  EXPECT_FALSE(found.holds[0].to_is_root);
}

TEST(BreakEven, SeveralRootsAreAllFound) {
  BreakEvenQuestion question = signs_of_one_bucket();
  Scenario& scenario = question.scenario;
  // A large bucket hides behind 100 ms of compute, a small one follows it; 1 ms a message. With x
  // seconds a bit: max(100, 6 + 192e6 x) + 6 + 18432 x against 100 + 1 + 3 + 12.001152e6 x ms.
  // Fast networks: two rounds against one, 106 > 104. In between signs of all gradients lose
  // against the small bucket alone. Slow ones: the large bucket no longer hides.
  scenario.workload = test::workload_of({{0.0, kElements}, {100.0, 384}}, 100.0);
  scenario.cluster.nic.latency = Seconds{1e-3};
  scenario.compression.encode = Seconds{1e-3};
  scenario.compression.decode = Seconds{0};
  const BreakEven found = find(question, BreakEvenUnknown::kBandwidth);
  ASSERT_EQ(found.holds.size(), 2U);
  EXPECT_FALSE(found.holds[0].from_is_root);
  EXPECT_NEAR(found.holds[0].to, (192.018432e6 - 12.001152e6) / 92e-3, 1e4);
  EXPECT_NEAR(found.holds[1].from, (12.001152e6 - 18432) / 2e-3, 1e4);
  EXPECT_FALSE(found.holds[1].to_is_root);
}

TEST(BreakEven, WithoutARootItHoldsNowhereOrEverywhere) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.compression.encode = Seconds{100.0};
  EXPECT_TRUE(find(question, BreakEvenUnknown::kBandwidth).holds.empty());
  question.scenario.compression.encode = question.scenario.compression.decode = Seconds{0};
  EXPECT_TRUE(find(question, BreakEvenUnknown::kBandwidth).holds_everywhere());
}

TEST(BreakEven, SharedLinksAreAskedOfSimgrid) {
  BreakEvenQuestion question = signs_of_one_bucket();
  const double alone = find(question, BreakEvenUnknown::kBandwidth).holds.at(0).to;
  // Another job of the same kind takes half of every link all the time: the crossing doubles, but
  // for where its collectives begin.
  question.scenario.second_job = SecondJob{Bytes{16'000'000}, Seconds{0}};
  const BreakEven found =
      find_break_even(question, BreakEvenUnknown::kBandwidth, BreakEvenGoal::kFaster, {1e9, 100e9});
  ASSERT_EQ(found.holds.size(), 1U);
  EXPECT_NEAR(found.holds[0].to, 2.0 * alone, 0.1 * alone);
  EXPECT_TRUE(found.simulated);
  EXPECT_FALSE(break_even_band(question, {}, found).has_value());
}

TEST(BreakEven, TheBandReachesFromTheWorstCornerOfTheAssumptionsToTheBest) {
  const BreakEvenQuestion question = signs_of_one_bucket();
  const BreakEven found = find(question, BreakEvenUnknown::kBandwidth);
  Assumptions assumptions;
  // Three rounds more of 0 to 2 ms each, which signs save: 180 Mbit take 20 ms less up to 6 ms.
  assumptions.latency_high = Seconds{2e-3};
  const auto band = break_even_band(question, assumptions, found);
  ASSERT_TRUE(band.has_value());
  EXPECT_NEAR(band->narrowest.at(0).to, 9e9, 9e9 * 1e-6);
  EXPECT_NEAR(band->widest.at(0).to, 180e6 / 14e-3, 2e4);
}

TEST(BreakEven, ACornerWithoutAnAnswerIsTheNarrowest) {
  BreakEvenQuestion question = signs_of_one_bucket();
  const BreakEven found =
      find(question, BreakEvenUnknown::kRatio, BreakEvenGoal::kEfficientUncompressed);
  Assumptions assumptions;
  assumptions.latency_high = Seconds{1e-3};
  const auto band = break_even_band(question, assumptions, found);
  ASSERT_TRUE(band.has_value());
  EXPECT_TRUE(band->narrowest.empty());
  EXPECT_NEAR(band->widest.at(0).from, 19.2, 1e-3);
}

TEST(BreakEven, ASlowerBackwardPassOfTheBandCounts) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.target_efficiency = 0.5;
  const BreakEven found =
      find(question, BreakEvenUnknown::kBandwidth, BreakEvenGoal::kEfficientUncompressed);
  Assumptions assumptions;
  assumptions.compute_low = 0.5;
  assumptions.compute_high = 2.0;
  const auto band = break_even_band(question, assumptions, found);
  ASSERT_TRUE(band.has_value());
  EXPECT_NEAR(band->narrowest.at(0).from, 192e6 / 5e-3, 5e4);
  EXPECT_NEAR(band->widest.at(0).from, 192e6 / 20e-3, 2e4);
}

TEST(BreakEven, RefusesWhatCannotBeAsked) {
  const BreakEvenQuestion good = signs_of_one_bucket();
  for (const double target : {0.0, 1.0, 1.5, -0.5}) {
    BreakEvenQuestion question = good;
    question.target_efficiency = target;
    EXPECT_THROW((void)find(question, BreakEvenUnknown::kBandwidth), InputError) << target;
  }
  const auto ask = [&](BreakEvenUnknown unknown, BreakEvenRange range) {
    (void)find_break_even(good, unknown, BreakEvenGoal::kFaster, range);
  };
  EXPECT_THROW(ask(BreakEvenUnknown::kBandwidth, {10e9, 1e9}), InputError);
  EXPECT_THROW(ask(BreakEvenUnknown::kBandwidth, {0.0, 1e9}), InputError);
  EXPECT_THROW(ask(BreakEvenUnknown::kBatch, {1.0, 2.5}), InputError);
  EXPECT_THROW(ask(BreakEvenUnknown::kWorkers, {2.0, 5.0}), InputError);  // of 4 GPUs
  EXPECT_THROW((void)find(good, BreakEvenUnknown::kRatio), InputError);
  EXPECT_THROW((void)break_even_unknown_from_name("latency"), InputError);
}

TEST(BreakEven, ACastHasNoCodecBudget) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.compression = {parse_scheme("fp16")};
  EXPECT_THROW((void)find(question, BreakEvenUnknown::kCodec), InputError);
  EXPECT_TRUE(find(question, BreakEvenUnknown::kBandwidth).holds_everywhere());
}

TEST(BreakEven, OneWorkerHasNothingToAsk) {
  BreakEvenQuestion question = signs_of_one_bucket();
  question.scenario.workers = 1;
  EXPECT_THROW((void)find(question, BreakEvenUnknown::kBandwidth), InputError);
}

}  // namespace
}  // namespace gradwire
