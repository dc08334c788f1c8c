#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compressors/reference/float16.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Float16, KeepsEveryOneOfIts65536Values) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_of_float16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_of_float16(float16_bits(value)))) << bits;
    } else {
      EXPECT_EQ(float16_bits(value), half);
    }
  }
}

TEST(Float16, HasTheValuesOfIeee754) {
  EXPECT_EQ(float_of_float16(0x3c00), 1.0F);
  EXPECT_EQ(float_of_float16(0xc000), -2.0F);
  EXPECT_EQ(float_of_float16(0x7bff), 65504.0F);
  EXPECT_EQ(float_of_float16(0x0400), std::ldexp(1.0F, -14));
  EXPECT_EQ(float_of_float16(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(float_of_float16(0xfc00), -kInfinity);
  EXPECT_TRUE(std::isnan(float_of_float16(0x7e00)));
}

// Every midpoint of two neighbours is exact in float32: it goes to the even one, and the float32
// on either side of it to the nearer one.
TEST(Float16, RoundsToTheNearestAndFromTheMiddleToTheEven) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const auto below = static_cast<std::uint16_t>(bits);
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const float middle = (float_of_float16(below) + float_of_float16(above)) / 2.0F;
    ASSERT_EQ(float16_bits(middle), bits % 2 == 0 ? below : above) << bits;
    ASSERT_EQ(float16_bits(std::nextafter(middle, 0.0F)), below) << bits;
    ASSERT_EQ(float16_bits(std::nextafter(middle, kInfinity)), above) << bits;
    ASSERT_EQ(float16_bits(-middle), 0x8000 | (bits % 2 == 0 ? below : above)) << bits;
  }
}

TEST(Float16, BecomesInfiniteFrom65520On) {
  EXPECT_EQ(float16_bits(std::nextafter(65520.0F, 0.0F)), 0x7bff);
  EXPECT_EQ(float16_bits(65520.0F), 0x7c00);
  EXPECT_EQ(float16_bits(-std::numeric_limits<float>::max()), 0xfc00);
}

TEST(Bfloat16, KeepsEveryOneOfIts65536Values) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto brain = static_cast<std::uint16_t>(bits);
    const float value = float_of_bfloat16(brain);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_bits(value)))) << bits;
    } else {
      EXPECT_EQ(bfloat16_bits(value), brain);
    }
  }
}

TEST(Bfloat16, RoundsToTheNearestAndFromTheMiddleToTheEven) {
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const auto middle = std::bit_cast<float>((bits << 16) | 0x8000U);
    ASSERT_EQ(bfloat16_bits(middle), bits + bits % 2) << bits;
    ASSERT_EQ(bfloat16_bits(std::nextafter(middle, 0.0F)), bits) << bits;
    ASSERT_EQ(bfloat16_bits(std::nextafter(middle, kInfinity)), bits + 1) << bits;
  }
}

// A NaN whose payload is in the lower half alone must not become an infinity.
TEST(Bfloat16, KeepsANanWithASmallPayload) {
  EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_bits(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isnan(float_of_float16(float16_bits(std::bit_cast<float>(0x7f800001U)))));
}

/// The largest relative error of one rank's exchange over values from 2^low to 2^high.
double worst_relative_error(const char* spelling, int low, int high) {
  test::Random random(3, 0);
  std::vector<float> gradient(100'000);
  for (float& value : gradient) {
    value = static_cast<float>(std::exp2(low + (high - low) * random.uniform()));
    if (random.below(2) == 0) value = -value;
  }
  const std::vector<float> averaged = test::exchange_once(spelling, {gradient});
  double worst = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto error = static_cast<double>(averaged[i]) - static_cast<double>(gradient[i]);
    worst = std::max(worst, std::fabs(error / static_cast<double>(gradient[i])));
  }
  return worst;
}

// Half a unit of an 11-bit and an 8-bit significand, just above a power of two: 2^-11 and 2^-8. A
// hundred thousand values come within 5 % of it; rounding toward zero would double it.
TEST(Casts, OfNormalValuesErrByHalfAUnit) {
  const double half = worst_relative_error("fp16", -14, 15);
  EXPECT_LE(half, std::exp2(-11));
  EXPECT_GT(half, 0.95 * std::exp2(-11));
  const double brain = worst_relative_error("bf16", -126, 127);
  EXPECT_LE(brain, std::exp2(-8));
  EXPECT_GT(brain, 0.95 * std::exp2(-8));
  EXPECT_EQ(worst_relative_error("none", -126, 127), 0.0);
}

TEST(Casts, AverageOverTheRanks) {
  for (const char* spelling : {"none", "fp16", "bf16"}) {
    EXPECT_EQ(test::exchange_once(spelling, {{1, -8, 0}, {3, 0, 0}, {0, 4, 0}, {4, 0, 0}}),
              (std::vector<float>{2, -1, 0}))
        << spelling;
  }
}

// 60000 + 60000 overflows float16; its halves do not.
TEST(Casts, DivideBeforeTheySum) {
  EXPECT_EQ(test::exchange_once("fp16", {{60000}, {60000}}), (std::vector<float>{60000}));
}

}  // namespace
}  // namespace gradwire
