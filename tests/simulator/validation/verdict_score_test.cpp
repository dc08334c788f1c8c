#include "simulator/validation/verdict_score.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

MeasuredCase case_of(const std::string& compressor, int ranks = 4) {
  MeasuredCase one;
  one.ranks = ranks;
  one.compressor = compressor;
  return one;
}

TEST(VerdictPairs, JoinACompressedCaseWithTheUncompressedOneOfTheSameSetup) {
  std::vector<MeasuredCase> cases = {case_of("none"), case_of("signsgd"), case_of("none", 8),
                                     case_of("signsgd", 8), case_of("signsgd", 2)};
  cases.push_back(case_of("signsgd"));
  cases.back().slow_rank = 2.0;
  cases.push_back(case_of("signsgd"));
  cases.back().network = 1;
  const std::vector<VerdictPair> pairs = verdict_pairs(cases);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].compressed, 1U);
  EXPECT_EQ(pairs[0].uncompressed, 0U);
  EXPECT_EQ(pairs[1].compressed, 3U);
  EXPECT_EQ(pairs[1].uncompressed, 2U);
}

TEST(VerdictScore, CountsOnlyWhatTheMeasurementTellsApart) {
  VerdictScore score;
  score.add(1.02, 0.5);  // measured within 3 %: nobody knows
  score.add(1.2, 1.01);
  score.add(1.05, 0.99);
  score.add(0.95, 0.99);
  score.add(0.5, 0.9);
  score.add(0.8, 1.1);
  EXPECT_EQ(score.pairs, 6U);
  EXPECT_EQ(score.near, 3U);
  EXPECT_EQ(score.helps, 2U);
  EXPECT_EQ(score.harms, 3U);
  EXPECT_DOUBLE_EQ(*score.balanced_accuracy(), (0.5 + 2.0 / 3.0) / 2.0);
  EXPECT_DOUBLE_EQ(score.accuracy(), 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(score.majority(), 3.0 / 5.0);
}

TEST(VerdictScore, AlwaysTheSameAnswerIsHalfRightWhenBalanced) {
  VerdictScore score;
  for (int i = 0; i < 9; ++i) score.add(0.5, 0.9);
  score.add(2.0, 0.9);
  EXPECT_DOUBLE_EQ(*score.balanced_accuracy(), 0.5);
  EXPECT_DOUBLE_EQ(score.accuracy(), 0.9);
}

TEST(VerdictScore, HasNoBalanceWhereNothingHelps) {
  VerdictScore score;
  EXPECT_DOUBLE_EQ(score.accuracy(), 0.0);
  score.add(0.5, 0.9);
  EXPECT_FALSE(score.balanced_accuracy().has_value());
}

}  // namespace
}  // namespace gradwire
