#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

TEST(QsgdReference, SendsLevelsOfEachBucketsNorm) {
  // 3 bits: s = 3 levels. Norms 5 and 13; of 13 every element is a multiple of norm / s or between
  // two. 3 / 5 x 3 = 1.8: level 1 or 2; 4 / 5 x 3 = 2.4: 2 or 3. 5 / 13 x 3 = 1.15; 12 / 13 x 3 =
  // 2.77.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> received =
        test::exchange_once("qsgd:bits=3,bucket=2", {{3, -4, -5, 12}}, seed);
    const auto is_level = [](float value, float norm, int low) {
      const float level = value / norm * 3.0F;
      return std::fabs(level - static_cast<float>(low)) < 1e-5F ||
             std::fabs(level - static_cast<float>(low + 1)) < 1e-5F;
    };
    EXPECT_TRUE(is_level(received[0], 5, 1)) << received[0];
    EXPECT_TRUE(is_level(received[1], -5, 2)) << received[1];
    EXPECT_TRUE(is_level(received[2], -13, 1)) << received[2];
    EXPECT_TRUE(is_level(received[3], 13, 2)) << received[3];
  }
}

// Between two levels, N / s apart, the variance is at most (N / (2 s))^2. Within 5 standard errors
// of 4000 draws for each of 64 elements.
TEST(QsgdReference, IsUnbiased) {
  constexpr int kDraws = 4000;
  const std::vector<float> vector = test::normal_vector(64, 1);
  const double norm = std::sqrt(test::squared_length(vector));
  for (const auto& [spelling, levels] :
       {std::pair{"qsgd:bits=2", 1.0}, {"qsgd:bits=4", 7.0}, {"qsgd:bits=8", 127.0}}) {
    std::vector<double> sums(64);
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const std::vector<float> received = test::exchange_once(spelling, {vector}, seed);
      for (std::size_t i = 0; i < 64; ++i) sums[i] += static_cast<double>(received[i]);
    }
    const double bound = 5 * norm / (2 * levels) / std::sqrt(kDraws);
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_NEAR(sums[i] / kDraws, static_cast<double>(vector[i]), bound) << spelling << ' ' << i;
    }
  }
}

// The variance of one element is (N / s)^2 f (1 - f), f its place between the two levels; the mean
// squared error is the sum. Each of 2000 draws lies between 0 and d (N / s)^2, but their spread is
// far smaller; 5 % is more than 5 standard errors. Lemma 3.1: at most min(d / s^2, sqrt(d) / s)
// N^2.
TEST(QsgdReference, HasTheVarianceOfItsLevels) {
  constexpr int kDraws = 2000;
  const std::vector<float> vector = test::normal_vector(64, 2);
  const double squared = test::squared_length(vector);
  for (const auto& [spelling, levels] : {std::pair{"qsgd:bits=2", 1.0}, {"qsgd:bits=4", 7.0}}) {
    double expected = 0.0;
    for (const float value : vector) {
      const double place = std::fabs(static_cast<double>(value)) / std::sqrt(squared) * levels;
      const double fraction = place - std::floor(place);
      expected += squared / (levels * levels) * fraction * (1 - fraction);
    }
    EXPECT_LE(expected, std::min(64 / (levels * levels), std::sqrt(64.0) / levels) * squared);
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      sum += test::squared_distance(test::exchange_once(spelling, {vector}, seed), vector);
    }
    EXPECT_NEAR(sum / kDraws, expected, 0.05 * expected) << spelling;
  }
}

TEST(QsgdReference, AveragesOverTheRanks) {
  // Alone in its bucket an element is its norm: it arrives as it is.
  EXPECT_EQ(test::exchange_once("qsgd:bits=2,bucket=1", {{1, -6}, {3, 2}}),
            (std::vector<float>{2, -2}));
}

}  // namespace
}  // namespace gradwire
