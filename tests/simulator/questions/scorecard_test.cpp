#include "simulator/questions/scorecard.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "tests/simulator/questions/small_question.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

SchemeScore score_of(const std::string& scheme, Scenario scenario,
                     std::optional<CostProfile> profile = std::nullopt,
                     const std::string& device = "Chip 1") {
  Scenario baseline = scenario;
  baseline.compression.scheme = parse_scheme("fp16");
  const Assumptions sure = test::sure_assumptions();
  const CornerTimes times = corner_times(baseline, sure);
  return make_scorecard({std::move(scenario), sure, device, std::move(profile), times}, {scheme})
      .front();
}

TEST(Scorecard, TheBudgetIsWhatTheBaselineLeavesBesideTheExchange) {
  // fp16: 30 ms from 10 on, then 20: 60 ms. Signs: 3125 words behind 25 ms of backward.
  const SchemeScore score = score_of("signsgd", test::small_scenario());
  EXPECT_NEAR(score.budget.count(), 60e-3 - 25e-3 - 3.125e-3, 1e-9);
  EXPECT_EQ(score.is_under_budget(), std::nullopt);  // no profile is of this device
  EXPECT_EQ(score.standing, "");
}

TEST(Scorecard, TheCodecIsUnderBudgetUpToTheBudget) {
  for (const auto& [decode_ms, under] : {std::pair{21.8, true}, std::pair{21.9, false}}) {
    const SchemeScore score = score_of("signsgd", test::small_scenario(),
                                       test::profile_of(test::signs_entry(10.0, decode_ms)));
    EXPECT_NEAR(score.codec.value().count(), (10.0 + decode_ms) * 1e-3, 1e-12);
    EXPECT_EQ(score.is_under_budget(), under) << decode_ms;
    EXPECT_EQ(score.standing, "measured");
  }
}

TEST(Scorecard, TheBandOfTheBudgetIsThatOfTheAssumptions) {
  Scenario scenario = test::small_scenario();
  Scenario baseline = scenario;
  baseline.compression.scheme = parse_scheme("fp16");
  Assumptions assumptions;
  assumptions.compute_low = 0.5;
  assumptions.compute_high = 2.0;
  const SchemeScore score =
      make_scorecard({scenario, assumptions, "", std::nullopt, corner_times(baseline, assumptions)},
                     {"signsgd"})
          .front();
  // Ready at 5 and 10 of 12.5: fp16 ends at 55, signs at 15.625. At 20 and 40 of 50: 70 and 53.125.
  EXPECT_NEAR(score.budget_high.count(), 55e-3 - 15.625e-3, 1e-9);
  EXPECT_NEAR(score.budget_low.count(), 70e-3 - 53.125e-3, 1e-9);
}

TEST(Scorecard, AnAllReduceHardlyGrowsWithTheRanksAndAnAllGatherAsTheyDo) {
  // A ring of n sends 2 (n-1) chunks of a n-th: 30/16 over 14/8 from 8 to 16. 16000 elements of
  // Random-k divide by both. An all-gather sends n-1 messages: 15 over 7.
  const SchemeScore reduced = score_of("randomk:fraction=0.16", test::small_scenario(16));
  EXPECT_TRUE(reduced.all_reduced);
  EXPECT_NEAR(reduced.growth.value(), (30.0 / 16.0) / (14.0 / 8.0), 1e-9);
  EXPECT_NEAR(reduced.workers_growth, 2.0, 1e-12);
  EXPECT_EQ(reduced.scales(), true);
  const SchemeScore gathered = score_of("signsgd", test::small_scenario(16));
  EXPECT_FALSE(gathered.all_reduced);
  EXPECT_NEAR(gathered.growth.value(), 15.0 / 7.0, 1e-9);
  EXPECT_EQ(gathered.scales(), false);
}

TEST(Scorecard, ScalesWhatGrowsByLessThanHalfOfWhatTheWorkersDo) {
  SchemeScore score;
  score.workers_growth = 8.0;  // by 7
  score.growth = 4.49;
  EXPECT_EQ(score.scales(), true);
  score.growth = 4.5;
  EXPECT_EQ(score.scales(), false);
}

TEST(Scorecard, DecodingThatGrowsCountsWithTheExchange) {
  // 3125 words: 21.875 ms among 8, 46.875 among 16.
  const SchemeScore score =
      score_of("signsgd", test::small_scenario(16),
               test::profile_of(test::signs_entry(1, 4, 8) + test::signs_entry(1, 9, 16)));
  EXPECT_NEAR(score.growth.value(), (46.875 + 9) / (21.875 + 4), 1e-9);
}

TEST(Scorecard, GrowthIsNotKnownForNoMoreWorkersThanItIsComparedWith) {
  EXPECT_EQ(score_of("signsgd", test::small_scenario(8)).growth, std::nullopt);
  Scenario scenario = test::small_scenario(32);
  scenario.cluster = test::mixed_cluster(4, 8);  // 8 would not leave a node: 16 are two nodes
  const SchemeScore score = score_of("signsgd", scenario);
  EXPECT_EQ(score.fewer_workers, 16);
  EXPECT_NEAR(score.workers_growth, 2.0, 1e-12);
}

TEST(Scorecard, WorkThatFillsTheDeviceIsNotHidden) {
  // Without a model all 15 ms are the device's, spread by elements: 6 + 3 and 4 + 2. Encoding
  // stands in front of backward kernels and decoding takes half the device: 25 ms of backward and
  // 15 of codec end at 40, and nothing but the last message has another time to hide in.
  const SchemeScore score =
      score_of("signsgd", test::small_scenario(), test::profile_of(test::signs_entry(10, 5)));
  EXPECT_NEAR(score.hidden.value(), 0.0, 1e-6);
  EXPECT_EQ(score.hides(), false);
}

TEST(Scorecard, WorkBesideABusyNetworkIsHidden) {
  // Among 16 the signs take 28.125 and 18.75 ms: from 10 on without a codec, to 56.875. With it the
  // first are encoded at 16, the second wait for them until 44.125 and are decoded 2 ms behind
  // 62.875: 8 of 15 ms are exposed.
  const SchemeScore score =
      score_of("signsgd", test::small_scenario(16), test::profile_of(test::signs_entry(10, 5)));
  EXPECT_NEAR(score.hidden.value(), 7.0 / 15.0, 1e-9);
}

TEST(Scorecard, TheNeededRatioMakesTrainingWithoutACompressorNearLinear) {
  // 25 ms over 0.9 are 27.78; between ratios 5 and 6 the buckets end at 10 + 100 / c.
  EXPECT_NEAR(needed_ratio(test::small_scenario()).value(), 100.0 / (25.0 / 0.9 - 10.0), 1e-2);
  // Signs send 32 times less, more than four times that.
  const SchemeScore signs = score_of("signsgd", test::small_scenario());
  EXPECT_NEAR(signs.ratio, 32.0, 1e-9);
  EXPECT_FALSE(signs.is_sufficient_and_not_more());
  EXPECT_TRUE(score_of("qsgd:bits=4", test::small_scenario()).is_sufficient_and_not_more());
  EXPECT_FALSE(score_of("qsgd:bits=8", test::small_scenario()).is_sufficient_and_not_more());
}

TEST(Scorecard, NoRatioIsNeededWhereNothingIsExposedAndNoneSufficesForLatency) {
  Scenario fast = test::small_scenario();
  fast.cluster.nic.bandwidth = BitsPerSecond{100e9};
  EXPECT_EQ(needed_ratio(fast), 1.0);
  Scenario far = test::small_scenario();
  far.cluster.nic.latency = Seconds{1.0};
  EXPECT_EQ(needed_ratio(far), std::nullopt);
}

TEST(Scorecard, LaunchesAreThoseOfTheSchemesWork) {
  const Scenario scenario = test::small_scenario();
  const SchemeScore score = score_of("signsgd", scenario);
  EXPECT_EQ(score.launches,
            parse_scheme("signsgd")->work(tensor_shapes(scenario.workload), 2).launches());
  EXPECT_EQ(score.gradients, 2);
  EXPECT_FALSE(score.launches_little());
}

TEST(Scorecard, CountsWhatIsYes) {
  SchemeScore score;
  score.launches = 1;  // of no gradients
  EXPECT_EQ(score.yes(), 0);
  score.all_reduced = true;
  score.budget = Seconds{2};
  score.codec = Seconds{1};
  score.growth = 1.0;
  score.workers_growth = 4.0;
  score.hidden = 0.5;
  score.needed_ratio = 2.0;
  score.ratio = 8.0;
  score.gradients = 1;
  EXPECT_EQ(score.yes(), 6);
  score.ratio = 8.1;
  score.hidden = 0.49;
  EXPECT_EQ(score.yes(), 4);
}

TEST(Scorecard, SaysWhyAProfileHasNoCost) {
  const SchemeScore score =
      score_of("qsgd:bits=4", test::small_scenario(), test::profile_of(test::signs_entry(1, 1)));
  EXPECT_EQ(score.codec, std::nullopt);
  EXPECT_NE(score.why_no_cost.find("no figure of qsgd"), std::string::npos) << score.why_no_cost;
}

TEST(Scorecard, ACastIsNoCompressor) {
  EXPECT_NE(
      test::input_error_of([] { score_of("fp16", test::small_scenario()); }).find("fp16 found"),
      std::string::npos);
}

}  // namespace
}  // namespace gradwire
