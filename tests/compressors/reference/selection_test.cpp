#include "compressors/reference/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

/// Magnitudes of the elements of `vector` that one rank's exchange sent and of those it left. No
/// element of `vector` is 0.
struct Split {
  std::vector<double> sent;
  std::vector<double> left;
};

Split split_by(std::string_view spelling, const std::vector<float>& vector) {
  const std::vector<float> received = test::exchange_once(spelling, {vector});
  Split split;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double magnitude = std::fabs(static_cast<double>(vector[i]));
    (received[i] != 0.0F ? split.sent : split.left).push_back(magnitude);
    EXPECT_TRUE(received[i] == 0.0F || received[i] == vector[i]) << i;
  }
  return split;
}

/// By how much the largest magnitude that was left exceeds the smallest that was sent.
double worst_swap(const Split& split) {
  return *std::max_element(split.left.begin(), split.left.end()) -
         *std::min_element(split.sent.begin(), split.sent.end());
}

TEST(TopK, SendsTheLargestMagnitudes) {
  for (const auto& [spelling, k] : {std::pair{"topk:fraction=0.001", 10UL},
                                    {"topk:fraction=0.01", 100UL},
                                    {"topk:fraction=0.5,index_bytes=8", 5000UL}}) {
    const Split split = split_by(spelling, test::normal_vector(10'000, 1));
    EXPECT_EQ(split.sent.size(), k);
    EXPECT_LT(worst_swap(split), 0.0);
  }
}

TEST(TopK, TakesTheFirstOfEqualMagnitudes) {
  EXPECT_EQ(test::exchange_once("topk:fraction=0.5", {{1, -2, 2, -2, 1, 1}}),
            (std::vector<float>{0, -2, 2, -2, 0, 0}));
  EXPECT_EQ(test::exchange_once("topk:fraction=0.5", {{3, -3, 3, -3}}),
            (std::vector<float>{3, -3, 0, 0}));
}

// Each round halves the distance of the two thresholds, at first that of the mean from the maximum,
// and what was left lies below the upper, what was sent not below the lower one.
TEST(MsTopK, SendsKWithinTheBandThatItsRoundsLeave) {
  const std::vector<float> vector = test::normal_vector(10'000, 2);
  double sum = 0.0;
  double maximum = 0.0;
  for (const float value : vector) {
    sum += std::fabs(static_cast<double>(value));
    maximum = std::max(maximum, std::fabs(static_cast<double>(value)));
  }
  const double range = maximum - sum / 10'000.0;
  for (const int rounds : {1, 3, 6, 10, 20}) {
    for (const auto& [fraction, k] : {std::pair{"0.001", 10UL}, {"0.01", 100UL}, {"0.3", 3000UL}}) {
      // It takes some rounds to a threshold that 30 % reach; until then the lower one is 0.
      if (k == 3000UL && rounds < 6) continue;
      const Split split = split_by(
          "mstopk:fraction=" + std::string{fraction} + ",rounds=" + std::to_string(rounds), vector);
      EXPECT_EQ(split.sent.size(), k) << rounds;
      EXPECT_LE(worst_swap(split), std::ldexp(range, -rounds)) << rounds << ' ' << fraction;
    }
  }
}

// 60 rounds part magnitudes that differ by a unit of float32.
TEST(MsTopK, AfterManyRoundsIsTopK) {
  const std::vector<float> vector = test::normal_vector(10'000, 3);
  EXPECT_EQ(test::exchange_once("mstopk:fraction=0.01,rounds=60", {vector}),
            test::exchange_once("topk:fraction=0.01", {vector}));
}

TEST(MsTopK, SendsKWhereFewerAreAboveTheMean) {
  // One large element: the mean is 10.9, and 1 of 100 is above it.
  std::vector<float> vector(100, 1.0F);
  vector[70] = 991.0F;
  const std::vector<float> received = test::exchange_once("mstopk:fraction=0.1", {vector});
  EXPECT_EQ(received[70], 991.0F);
  EXPECT_EQ(std::count(received.begin(), received.end(), 1.0F), 9);
}

TEST(MsTopK, SendsARunOfNeighboursOfEqualElements) {
  const std::vector<float> received =
      test::exchange_once("mstopk:fraction=0.2", {std::vector<float>(50, -2.0F)});
  const auto first = std::find(received.begin(), received.end(), -2.0F);
  ASSERT_LE(first + 10, received.end());
  EXPECT_TRUE(std::all_of(first, first + 10, [](float value) { return value == -2.0F; }));
  EXPECT_EQ(std::count(received.begin(), received.end(), 0.0F), 40);
}

TEST(Selections, SumWhatTheRanksSentAndDivideByThem) {
  // Rank 0 sends elements 0 and 1, rank 1 elements 1 and 3.
  EXPECT_EQ(test::exchange_once("topk:fraction=0.5", {{4, 6, 1, 0}, {1, 2, 0, -8}}),
            (std::vector<float>{2, 4, 0, -4}));
}

TEST(RandomK, WithASharedSeedAveragesTheSameElements) {
  const std::vector<float> averaged = test::exchange_once(
      "randomk:fraction=0.25", {std::vector<float>(100, 1.0F), std::vector<float>(100, 3.0F)});
  EXPECT_EQ(std::count(averaged.begin(), averaged.end(), 2.0F), 25);
  EXPECT_EQ(std::count(averaged.begin(), averaged.end(), 0.0F), 75);
}

TEST(RandomK, WithoutOneSendsOtherElementsOnEveryRank) {
  // (1 - 0.25)^2 = 56 of 100 elements are sent by neither rank.
  const std::vector<float> averaged =
      test::exchange_once("randomk:fraction=0.25,shared_seed=false",
                          {std::vector<float>(100, 1.0F), std::vector<float>(100, 3.0F)});
  EXPECT_NEAR(static_cast<double>(std::count(averaged.begin(), averaged.end(), 0.0F)), 56, 12);
  EXPECT_GT(std::count(averaged.begin(), averaged.end(), 0.5F), 0);
  EXPECT_GT(std::count(averaged.begin(), averaged.end(), 1.5F), 0);
}

// 1809.07599, definition 2.1: |x - C(x)|^2 <= (1 - k / d) |x|^2, for top_k always.
TEST(TopK, Contracts) {
  const auto tails = {std::function<float(float)>([](float x) { return x; }),
                      std::function<float(float)>([](float x) { return x * x * x; }),
                      std::function<float(float)>([](float x) { return x < 0 ? -1.0F : 1.0F; })};
  for (const auto& tail : tails) {
    for (const auto& [spelling, share] :
         {std::pair{"topk:fraction=0.01", 0.01}, {"topk:fraction=0.5", 0.5}}) {
      std::vector<float> vector = test::normal_vector(1000, 4);
      std::transform(vector.begin(), vector.end(), vector.begin(), tail);
      const double left = test::squared_distance(test::exchange_once(spelling, {vector}), vector);
      EXPECT_LE(left, (1.0 - share) * test::squared_length(vector) * (1.0 + 1e-12));
      EXPECT_GT(left, 0.0);
    }
  }
}

// Sampling k of d without replacement: the mean of |x - C(x)|^2 is (1 - k / d) |x|^2, its variance
// (k / d) (1 - k / d) d / (d - 1) (sum of x^4 - |x|^4 / d). Within 5 standard errors of 2000 draws.
TEST(RandomK, ContractsInTheMean) {
  constexpr int kDraws = 2000;
  const double d = 100.0;
  const double share = 0.1;
  const std::vector<float> vector = test::normal_vector(100, 5);
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    sum +=
        test::squared_distance(test::exchange_once("randomk:fraction=0.1", {vector}, seed), vector);
  }
  double fourth = 0.0;
  for (const float value : vector) fourth += std::pow(static_cast<double>(value), 4);
  const double squared = test::squared_length(vector);
  const double variance = share * (1 - share) * d / (d - 1) * (fourth - squared * squared / d);
  EXPECT_NEAR(sum / kDraws, (1 - share) * squared, 5 * std::sqrt(variance / kDraws));
}

// An element is sent with the probability k / d, so that d / k times what is received has the mean
// x and the variance x^2 (d / k - 1). Within 5 standard errors of 2000 draws, for 100 elements.
TEST(RandomK, IsUnbiasedTimesDOverK) {
  constexpr int kDraws = 2000;
  const std::vector<float> vector = test::normal_vector(100, 6);
  for (const char* spelling : {"randomk:fraction=0.1", "randomk:fraction=0.1,shared_seed=false"}) {
    std::vector<double> sums(100);
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const std::vector<float> received = test::exchange_once(spelling, {vector}, seed);
      for (std::size_t i = 0; i < 100; ++i) sums[i] += 10.0 * static_cast<double>(received[i]);
    }
    for (std::size_t i = 0; i < 100; ++i) {
      const auto value = static_cast<double>(vector[i]);
      EXPECT_NEAR(sums[i] / kDraws, value, 5 * std::fabs(value) * std::sqrt(9.0 / kDraws)) << i;
    }
  }
}

}  // namespace
}  // namespace gradwire
