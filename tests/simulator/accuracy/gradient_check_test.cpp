#include "simulator/accuracy/gradient_check.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/simulator/accuracy/recorded.hpp"

namespace gradwire {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(AverageGradient, IsExactWhereFloat32WouldRoundOrOverflow) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  // 2^24 + 1 is no float32; the sum of two of the largest is none either.
  EXPECT_EQ(average_gradient({{0x1p24F, kLargest}, {1, kLargest}}),
            (std::vector<double>{0x1.000001p23, static_cast<double>(kLargest)}));
}

TEST(CheckGradients, FindsNothingInSoundGradients) {
  const GradientCheck check = check_gradients(test::recorded_vector({{{1, 2}, {0, -2}}}));
  EXPECT_TRUE(check.non_finite.empty());
  EXPECT_TRUE(check.zero_averages.empty());
}

TEST(CheckGradients, NamesIterationRankCountAndFirstTensor) {
  const GradientCheck check = check_gradients(test::recorded(
      {{{2}}, {{}}, {{2, 1}}}, {{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}},
                                {{1, 1, 1, 1, 1}, {1, 1, kNan, kInfinity, -kInfinity}},
                                {{1, 1, 1, kNan, 1}, {kNan, 1, 1, 1, 1}}}));
  EXPECT_EQ(check.non_finite,
            (std::vector<NonFiniteGradient>{{1, 1, 3, "t1"}, {2, 0, 1, "t2"}, {2, 1, 1, "t0"}}));
}

TEST(CheckGradients, FindsAveragesOfZeroButNotThoseOfNaN) {
  const GradientCheck check = check_gradients(test::recorded_vector(
      {{{1, -2}, {-1, 2}}, {{1, 0}, {-1, 1e-45F}}, {{0, -0.0F}, {0, 0}}, {{0, kNan}, {0, 0}}}));
  EXPECT_EQ(check.zero_averages, (std::vector<int>{0, 2}));
}

}  // namespace
}  // namespace gradwire
