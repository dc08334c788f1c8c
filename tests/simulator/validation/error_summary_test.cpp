#include "simulator/validation/error_summary.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

Measurement measured(double low, double median, double high) {
  Measurement measurement;
  measurement.low = Seconds{low};
  measurement.median = Seconds{median};
  measurement.high = Seconds{high};
  return measurement;
}

TEST(ErrorSummary, TheNinetiethPercentileOfTenErrorsIsTheNinth) {
  const ErrorSummary summary =
      summarize({0.01, -0.02, 0.03, -0.04, 0.05, 0.06, 0.07, 0.08, -0.09, 0.10});
  EXPECT_DOUBLE_EQ(summary.median, 0.055);
  EXPECT_DOUBLE_EQ(summary.p90, 0.09);
  EXPECT_DOUBLE_EQ(summary.worst, 0.10);
}

TEST(ErrorSummary, OfOneErrorAllThreeAreThatError) {
  const ErrorSummary summary = summarize({-0.3});
  EXPECT_DOUBLE_EQ(summary.median, 0.3);
  EXPECT_DOUBLE_EQ(summary.p90, 0.3);
  EXPECT_DOUBLE_EQ(summary.worst, 0.3);
}

TEST(ScoredError, InsideTheMeasuredRangeIsNoneUnderEitherRule) {
  for (const ErrorRule rule : {ErrorRule::kMedian, ErrorRule::kOutsideRange}) {
    EXPECT_EQ(scored_error(Seconds{1.09}, measured(0.9, 1.0, 1.1), rule), 0.0);
  }
}

TEST(ScoredError, OutsideTheRangeTheRulesDifferInWhereTheyCountFrom) {
  const Measurement range = measured(1.6, 2.0, 2.2);
  EXPECT_DOUBLE_EQ(scored_error(Seconds{2.4}, range, ErrorRule::kMedian), 0.2);
  // 0.2 s above the range, of 2 s
  EXPECT_NEAR(scored_error(Seconds{2.4}, range, ErrorRule::kOutsideRange), 0.1, 1e-12);
  EXPECT_NEAR(scored_error(Seconds{1.5}, range, ErrorRule::kOutsideRange), -0.05, 1e-12);
}

TEST(CheckAim, TheBaselinesShareTightensABoundAndNeverLoosensIt) {
  Aim aim;
  aim.median = 0.015;
  aim.p90 = 0.05;
  aim.baseline_share = 0.5;
  const auto checks = check_aim(aim, {0.012, 0.04, 0.2}, {0.02, 0.3, 0.5});
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_DOUBLE_EQ(checks[0].wanted, 0.01);
  EXPECT_FALSE(checks[0].met());
  EXPECT_DOUBLE_EQ(checks[1].wanted, 0.05);
  EXPECT_TRUE(checks[1].met());
}

TEST(CheckAim, AnAimThatAsksNothingChecksNothing) {
  EXPECT_TRUE(check_aim({}, {0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}).empty());
}

}  // namespace
}  // namespace gradwire
