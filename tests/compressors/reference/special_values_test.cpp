#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

std::ptrdiff_t count_nan(const std::vector<float>& values) {
  return std::count_if(values.begin(), values.end(), [](float value) { return std::isnan(value); });
}

TEST(Zeros, ArriveAsZerosButVoteAsPositive) {
  for (const char* spelling : {"none", "fp16", "bf16", "ef-signsgd", "mstopk:fraction=0.2",
                               "topk:fraction=0.2", "randomk:fraction=0.2", "qsgd"}) {
    EXPECT_EQ(test::exchange_once(spelling, {std::vector<float>(10)}), std::vector<float>(10))
        << spelling;
  }
  EXPECT_EQ(test::exchange_once("signsgd", {std::vector<float>(10)}), std::vector<float>(10, 1.0F));
  std::vector<RankReference> job = test::make_job("powersgd:rank=2", {{{5, 2}}}, 1);
  EXPECT_EQ(exchange_gradients(job, {std::vector<float>(10)}).front(), std::vector<float>(10));
}

TEST(EqualElements, ArriveAsTheSchemeSays) {
  const std::vector<float> twos(16, 2.0F);
  for (const char* spelling : {"none", "fp16", "bf16", "ef-signsgd"}) {
    EXPECT_EQ(test::exchange_once(spelling, {twos}), twos) << spelling;
  }
  EXPECT_EQ(test::exchange_once("signsgd", {twos}), std::vector<float>(16, 1.0F));
  for (const char* spelling :
       {"mstopk:fraction=0.25", "topk:fraction=0.25", "randomk:fraction=0.25"}) {
    const std::vector<float> received = test::exchange_once(spelling, {twos});
    EXPECT_EQ(std::count(received.begin(), received.end(), 2.0F), 4) << spelling;
    EXPECT_EQ(std::count(received.begin(), received.end(), 0.0F), 12) << spelling;
  }
  // Norm 8, of 7 levels 1.75: level 1 or 2.
  for (const float value : test::exchange_once("qsgd", {twos})) {
    EXPECT_TRUE(value == 8.0F / 7.0F || value == 16.0F / 7.0F) << value;
  }
}

TEST(OneElement, ArrivesAsItIsOrAsItsSign) {
  for (const char* spelling :
       {"none", "fp16", "bf16", "ef-signsgd", "mstopk", "topk", "randomk", "qsgd", "powersgd"}) {
    EXPECT_EQ(test::exchange_once(spelling, {{-3}}), std::vector<float>{-3}) << spelling;
  }
  EXPECT_EQ(test::exchange_once("signsgd", {{-3}}), std::vector<float>{-1});
  std::vector<RankReference> job = test::make_job("powersgd:rank=2", {{{1, 1}}}, 1);
  EXPECT_EQ(exchange_gradients(job, {{-3}}).front(), std::vector<float>{-3});
}

TEST(Subnormals, AreKeptWhereTheWireHasThem) {
  const std::vector<float> one = {kSmallest};
  for (const char* spelling : {"none", "ef-signsgd", "mstopk", "topk", "randomk", "qsgd"}) {
    EXPECT_EQ(test::exchange_once(spelling, {one}), one) << spelling;
  }
  EXPECT_EQ(test::exchange_once("fp16", {one}), std::vector<float>{0});
  EXPECT_EQ(test::exchange_once("bf16", {one}), std::vector<float>{0});
  const std::vector<float> among_zeros = {0, 0, kSmallest, 0};
  EXPECT_EQ(test::exchange_once("topk:fraction=0.25", {among_zeros}), among_zeros);
  EXPECT_EQ(test::exchange_once("mstopk:fraction=0.25", {among_zeros}), among_zeros);
}

TEST(Nan, StaysAtItsElementUnderCasts) {
  for (const char* spelling : {"none", "fp16", "bf16"}) {
    const std::vector<float> averaged = test::exchange_once(spelling, {{1, kNan}, {1, 0}});
    EXPECT_EQ(averaged[0], 1.0F) << spelling;
    EXPECT_TRUE(std::isnan(averaged[1])) << spelling;
    EXPECT_EQ(test::exchange_once(spelling, {{-kInfinity}, {1}}), std::vector<float>{-kInfinity});
  }
}

TEST(Nan, AndInfinitiesAreSelectedBeforeAllElse) {
  const std::vector<float> vector = {kLargest / 2, kNan, 5, -kInfinity, 1, 2, 3, 4};
  for (const char* spelling : {"topk:fraction=0.25", "mstopk:fraction=0.25"}) {
    const std::vector<float> received = test::exchange_once(spelling, {vector});
    EXPECT_TRUE(std::isnan(received[1])) << spelling;
    EXPECT_EQ(received[3], -kInfinity) << spelling;
    EXPECT_EQ(std::count(received.begin(), received.end(), 0.0F), 6) << spelling;
  }
}

TEST(Nan, DoesNotStayInTheMemoryOfASelection) {
  std::vector<RankReference> job = test::make_job("topk:fraction=0.5", {{{2}}}, 1);
  EXPECT_TRUE(std::isnan(exchange_gradients(job, {{kNan, 3}}).front()[0]));
  EXPECT_EQ(exchange_gradients(job, {{0, 0}}).front(), (std::vector<float>{0, 3}));
}

TEST(Nan, MakesAllOfEfSignSgdNanOnce) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    std::vector<RankReference> job = test::make_job("ef-signsgd", {{{3}}}, 2);
    const auto averaged = exchange_gradients(job, {{1, 1, 1}, {1, bad, 1}});
    EXPECT_EQ(count_nan(averaged.front()), 3) << bad;
    EXPECT_EQ(exchange_gradients(job, {{2, 2, 2}, {4, 4, 4}}).front(),
              (std::vector<float>{3, 3, 3}))
        << bad;
  }
}

TEST(Nan, MakesItsBucketOfQsgdNan) {
  // The last bucket's norm, 4.2e38, is no float32.
  for (const float bad : {kNan, kInfinity, 3e38F}) {
    const std::vector<float> received =
        test::exchange_once("qsgd:bits=4,bucket=2", {{1, 0, 3e38F, bad, 0, 2}});
    EXPECT_EQ(count_nan(received), 2);
    EXPECT_EQ(received[0], 1.0F);
    EXPECT_EQ(received[5], 2.0F);
  }
}

TEST(Nan, MakesItsMatrixOfPowerSgdNanOnce) {
  const std::vector<TensorShape> shapes = {{{2, 2}}, {{2, 2}}, {{1}}};
  for (const float bad : {kNan, kInfinity, kLargest}) {
    std::vector<RankReference> job = test::make_job("powersgd:rank=1", shapes, 2);
    const std::vector<float> good = {2, 4, 1, 2, 3, 3, 3, 3, 7};  // two matrices of rank 1
    std::vector<float> broken = good;
    std::fill_n(broken.begin(), 4, bad);
    const std::vector<float> averaged = exchange_gradients(job, {broken, broken}).front();
    EXPECT_EQ(count_nan(averaged), 4) << bad;
    EXPECT_TRUE(std::isnan(averaged[0]) && std::isnan(averaged[3])) << bad;
    EXPECT_NEAR(averaged[5], 3.0F, 1e-5F);
    EXPECT_EQ(averaged[8], 7.0F);
    const std::vector<float> after = exchange_gradients(job, {good, good}).front();
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(after[i], good[i], 1e-5F) << bad << ' ' << i;
  }
}

TEST(Nan, IsAVoteForPositiveAndAnInfinityForItsSign) {
  EXPECT_EQ(test::exchange_once("signsgd", {{kNan, kInfinity, -kInfinity}}),
            (std::vector<float>{1, 1, -1}));
}

}  // namespace
}  // namespace gradwire
