#include "simulator/questions/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/study/estimator.hpp"
#include "tests/simulator/questions/small_question.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

const AdviceRow& row_of(const std::vector<AdviceRow>& rows, const std::string& what) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const AdviceRow& row) { return row.what == what; });
  if (found == rows.end()) throw std::runtime_error("no row " + what);
  return *found;
}

TEST(Advice, DoesNotCompressWhereTheCodecTakesMoreThanItSaves) {
  const Advice advice = give_advice(test::small_question(test::signs_entry(100, 100)));
  EXPECT_TRUE(advice.costs_fit);
  EXPECT_EQ(advice.to_take(), nullptr);
  EXPECT_EQ(advice.best_baseline, "fp16");
  EXPECT_NEAR(advice.best_baseline_time.count(), 60e-3, 1e-9);  // 30 ms from 10 on, then 20
  ASSERT_NE(advice.best_compressor(), nullptr);
  EXPECT_EQ(advice.best_compressor()->outcome(), Outcome::kLoss);
  EXPECT_EQ(advice.winners(), 0);
}

TEST(Advice, CompressesWhereTheCodecIsCheap) {
  const Advice advice = give_advice(test::small_question(test::signs_entry(1, 1)));
  const AdviceRow* take = advice.to_take();
  ASSERT_NE(take, nullptr);
  EXPECT_EQ(take->what, "signsgd");
  EXPECT_EQ(take->mode, CompressionMode::kOverlapped);
  EXPECT_EQ(take->standing, "measured");
  EXPECT_EQ(advice.winners(), 1);
  // 25 ms of backward, 0.6 + 0.4 of encoding in it and 0.6 + 0.4 of decoding beside it.
  EXPECT_NEAR(take->time.count(), 27e-3, 1e-9);
  EXPECT_NEAR(take->speedup, 60.0 / 27.0, 1e-6);
  // Behind the backward pass: 25 + 1 + 3.125 + 1.
  const auto serial = std::find_if(advice.ranked.begin(), advice.ranked.end(), [](const auto& row) {
    return row.mode == CompressionMode::kSerial;
  });
  EXPECT_NEAR(serial->time.count(), 30.125e-3, 1e-9);
}

TEST(Advice, ATieIsNoReasonToCompress) {
  // One bucket, ready at 20 of 25 ms. fp16: 20 + 50. Signs decode for 44 ms from 23.125 on, beside
  // the last of the backward pass: the device has 69 ms of work and never waits.
  AdviceQuestion question = test::small_question(
      "entry { scheme: \"signsgd\" elements: 100000 tensors: 1 encode_s: 0 decode_s: 0.044 "
      "standing: MEASURED date: \"2026\" source: \"a test\" }");
  question.scenario.workload = test::workload_of({{20, 100'000}}, 25);
  const Advice advice = give_advice(question);
  ASSERT_NE(advice.best_compressor(), nullptr);
  EXPECT_NEAR(advice.best_compressor()->time.count(), 69e-3, 1e-9);
  EXPECT_EQ(advice.best_compressor()->outcome(), Outcome::kTie);
  EXPECT_EQ(advice.to_take(), nullptr);
}

TEST(Advice, WithoutACostProfileOfTheDeviceThereIsNoVerdictButBudgets) {
  AdviceQuestion question = test::small_question(test::signs_entry(1, 1));
  question.profile.reset();
  question.device = "NVIDIA H100 80GB HBM3";
  const Advice advice = give_advice(question);
  EXPECT_FALSE(advice.costs_fit);
  EXPECT_FALSE(advice.costs_known);
  EXPECT_EQ(advice.best_compressor(), nullptr);
  for (const AdviceRow& row : advice.ranked) EXPECT_EQ(row.kind, AdviceKind::kBaseline);
  ASSERT_EQ(advice.scorecard.size(), 1U);
  EXPECT_NEAR(advice.scorecard[0].budget.count(), (60 - 28.125) * 1e-3, 1e-9);
  EXPECT_FALSE(advice.instead.empty());
}

TEST(Advice, TheCostsOfAnotherDeviceAreAssumedAndFitNot) {
  AdviceQuestion question = test::small_question(test::signs_entry(1, 1));
  question.device = "Chip 2";
  const Advice advice = give_advice(question);
  EXPECT_FALSE(advice.costs_fit);
  EXPECT_TRUE(advice.costs_known);
  EXPECT_EQ(row_of(advice.ranked, "signsgd").standing, "assumed");
  ASSERT_EQ(advice.warnings.size(), 1U);
  EXPECT_NE(advice.warnings[0].find("another device than \"Chip 2\""), std::string::npos);
}

TEST(Advice, RanksTheFastestFirstAndComparesTheSameSamples) {
  const Advice advice = give_advice(test::small_question(test::signs_entry(10, 10)));
  for (const auto* rows : {&advice.ranked, &advice.instead}) {
    EXPECT_TRUE(std::is_sorted(rows->begin(), rows->end(), [](const auto& a, const auto& b) {
      return a.comparable_time < b.comparable_time;
    }));
  }
  const AdviceRow& float32 = row_of(advice.ranked, "float32");
  EXPECT_NEAR(float32.time.count(), 110e-3, 1e-9);
  EXPECT_NEAR(float32.speedup, 60.0 / 110.0, 1e-9);
  EXPECT_NEAR(row_of(advice.ranked, "bf16").speedup, 1.0, 1e-12);
  const AdviceRow& accumulated = row_of(advice.instead, "float32: accumulate over 2 passes");
  EXPECT_NEAR(accumulated.time.count(), 135e-3, 1e-9);
  EXPECT_NEAR(accumulated.comparable_time.count(), 67.5e-3, 1e-9);
  EXPECT_NEAR(accumulated.speedup, 60.0 / 67.5, 1e-9);
  EXPECT_EQ(accumulated.changes, "effective batch x2");
}

TEST(Advice, MovesRowAndBaselineAlikeInsideTheBands) {
  AdviceQuestion question = test::small_question(test::signs_entry(1, 1));
  question.assumptions.compute_low = 0.5;
  question.assumptions.compute_high = 2.0;
  const Advice advice = give_advice(question);
  for (const AdviceRow& row : advice.ranked) {
    if (row.mode != CompressionMode::kSerial) continue;
    // Backward 12.5: fp16 55, signs 12.5 + 5.125. Backward 50: fp16 70, signs 55.125.
    EXPECT_NEAR(row.speedup_high, 55.0 / 17.625, 1e-9);
    EXPECT_NEAR(row.speedup_low, 70.0 / 55.125, 1e-9);
  }
  EXPECT_NEAR(row_of(advice.ranked, "fp16").speedup_low, 1.0, 1e-12);
}

TEST(Advice, MixesSchemesByBucketWhereThatIsFaster) {
  AdviceQuestion question = test::small_question(
      "entry { scheme: \"signsgd\" elements: 64000 tensors: 2 encode_s: 0.02 decode_s: 0 "
      "standing: MEASURED date: \"2026\" source: \"a test\" }");
  question.scenario.workload = test::workload_of({{10, 60'000}, {60, 4'000}}, 60);
  const Advice advice = give_advice(question);
  ASSERT_TRUE(advice.by_bucket.has_value());
  const ByBucketAdvice& found = *advice.by_bucket;
  // fp16 of the first is hidden, its signs would take 18.75 ms from the backward pass; 2 ms of fp16
  // behind it against 1.25 of encoding and 125 words.
  EXPECT_EQ(found.uniform, "fp16");
  EXPECT_NEAR(found.uniform_time.count(), 62e-3, 1e-9);
  ASSERT_EQ(found.buckets.size(), 2U);
  EXPECT_EQ(found.buckets[0].scheme, "fp16");
  EXPECT_EQ(found.buckets[0].payload, Bytes{240'000});
  EXPECT_EQ(found.buckets[1].scheme, "signsgd");
  EXPECT_TRUE(found.compresses && found.exact && !found.is_uniform);
  const AdviceRow& mix = row_of(advice.ranked, "a mix of schemes by bucket");
  EXPECT_NEAR(mix.time.count(), 61.375e-3, 1e-9);
  EXPECT_EQ(mix.standing, "measured");
  EXPECT_EQ(advice.best_compressor(), &mix);
  EXPECT_EQ(advice.best_single_compressor()->what, "signsgd");
}

TEST(Advice, AChoiceThatLooksAtNothingIsRankedAndNotAdvised) {
  AdviceQuestion question = test::small_question(
      "entry { scheme: \"randomk:fraction=0.01\" elements: 100000 tensors: 2 encode_s: 0.001 "
      "decode_s: 0.001 standing: MEASURED date: \"2026\" source: \"a test\" }\n" +
          test::signs_entry(100, 100),
      {"randomk:fraction=0.01", "signsgd"});
  const Advice advice = give_advice(question);
  ASSERT_NE(advice.faster_and_not_advised(), nullptr);
  EXPECT_EQ(advice.faster_and_not_advised()->what, "randomk:fraction=0.01,shared_seed=true");
  EXPECT_NE(advice.faster_and_not_advised()->not_advised.find("99 %"), std::string::npos);
  EXPECT_EQ(advice.to_take(), nullptr);
  EXPECT_EQ(advice.best_compressor()->what, "signsgd");
  EXPECT_EQ(advice.winners(), 0);
}

TEST(Advice, OnlyRandomKLooksAtNothing) {
  EXPECT_NEAR(left_out_unseen("randomk:fraction=0.25").value(), 0.75, 1e-12);
  EXPECT_EQ(left_out_unseen("topk:fraction=0.01"), std::nullopt);
  EXPECT_EQ(left_out_unseen("powersgd:rank=1"), std::nullopt);
}

TEST(Advice, WhatAProfileHasNoFigureOfIsInTheScorecardAlone) {
  const Advice advice =
      give_advice(test::small_question(test::signs_entry(1, 1), {"signsgd", "qsgd:bits=4"}));
  for (const AdviceRow& row : advice.ranked) EXPECT_EQ(row.what.find("qsgd"), std::string::npos);
  ASSERT_EQ(advice.scorecard.size(), 2U);
  EXPECT_FALSE(advice.scorecard[1].why_no_cost.empty());
}

TEST(Advice, SearchesNoMixOnASharedNetwork) {
  AdviceQuestion question = test::small_question(test::signs_entry(1, 1));
  question.scenario.second_job = SecondJob{Bytes{10'000}, Seconds{10e-3}};
  const Advice advice = give_advice(question);
  EXPECT_FALSE(advice.by_bucket.has_value());
  EXPECT_NE(advice.why_not_by_bucket.find("links are shared"), std::string::npos);
  EXPECT_GT(row_of(advice.ranked, "float32").time.count(), 110e-3);
}

TEST(Advice, OneWorkerHasNothingToSynchronise) {
  AdviceQuestion question = test::small_question(test::signs_entry(1, 1));
  question.scenario.workers = 1;
  EXPECT_NE(test::input_error_of([&] { give_advice(question); }).find("workers: 1 found"),
            std::string::npos);
}

TEST(Advice, CastsAreRankedAnyway) {
  const AdviceQuestion question = test::small_question(test::signs_entry(1, 1), {"bf16"});
  EXPECT_NE(test::input_error_of([&] { give_advice(question); }).find("bf16 found"),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
