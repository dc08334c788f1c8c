#include "simulator/report/breakdown_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <regex>

namespace gradwire {
namespace {

/// Sum of the shares that `text` shows, in tenths of a percent.
long shown_permille(const std::string& text) {
  long sum = 0;
  const std::regex share("([0-9]+)\\.([0-9]) %");
  for (std::sregex_iterator found(text.begin(), text.end(), share), end; found != end; ++found) {
    sum += std::stol((*found)[1]) * 10 + std::stol((*found)[2]);
  }
  return sum;
}

TEST(BreakdownText, ShowsEachPartWithItsTimeAndShare) {
  // 61 + 0.5 + 30 + 5.5 + 3 = 100 ms, so a share in percent equals the milliseconds.
  const Breakdown breakdown{Seconds{0.061}, Seconds{0.0005}, Seconds{0.03}, Seconds{0.0055},
                            Seconds{0.003}};
  EXPECT_EQ(breakdown_text(breakdown),
            "compute                    61.00 ms  61.0 %\n"
            "compute slowed by overlap   0.50 ms   0.5 %\n"
            "network, bytes             30.00 ms  30.0 %\n"
            "network, latency            5.50 ms   5.5 %\n"
            "waiting for other ranks     3.00 ms   3.0 %\n");
}

TEST(BreakdownText, ShowsEncodeAndDecodeOnlyWhereThereAreSome) {
  Breakdown breakdown{Seconds{0.05}};
  EXPECT_EQ(breakdown_text(breakdown).find("code"), std::string::npos);
  breakdown.encode = Seconds{0.03};
  breakdown.decode = Seconds{0.02};
  EXPECT_NE(breakdown_text(breakdown).find("encode                     30.00 ms  30.0 %"),
            std::string::npos);
  EXPECT_NE(breakdown_text(breakdown).find("decode                     20.00 ms  20.0 %"),
            std::string::npos);
}

TEST(BreakdownText, TheSharesShownSumToAHundredPercent) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-6.0, 0.0);
  const auto time = [&] { return Seconds{std::pow(10.0, exponent(random))}; };
  for (int i = 0; i < 1000; ++i) {
    const Breakdown breakdown{time(), time(), time(), time(), time(), time(), time()};
    ASSERT_EQ(shown_permille(breakdown_text(breakdown)), 1000) << breakdown_text(breakdown);
  }
}

TEST(BreakdownText, AnIterationOfNoLengthHasNoShares) {
  EXPECT_EQ(breakdown_text(Breakdown{}).find('%'), std::string::npos);
}

TEST(RoundShares, WhatIsLeftGoesToTheLargestRemainders) {
  // Exact shares of 10: 3.33, 3.33, 3.33; one is left and goes to the first.
  EXPECT_EQ(round_shares({1, 1, 1}, 10), (std::vector<std::int64_t>{4, 3, 3}));
  // Exact shares of 10: 1.4, 3.9, 4.7; two are left.
  EXPECT_EQ(round_shares({1.4, 3.9, 4.7}, 10), (std::vector<std::int64_t>{1, 4, 5}));
}

TEST(RoundShares, NegativePartsCountAsZero) {
  EXPECT_EQ(round_shares({-1e-18, 2.0}, 1000), (std::vector<std::int64_t>{0, 1000}));
  EXPECT_TRUE(round_shares({0.0, -1.0}, 1000).empty());
}

}  // namespace
}  // namespace gradwire
