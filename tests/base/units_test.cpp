#include "base/units.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

// 100e6 bytes are 8e8 bits; over 10e9 bits/s they take 0.08 s.
TEST(Units, BytesOverBandwidthIsTheTimeOnTheLink) {
  EXPECT_DOUBLE_EQ((Bytes{100'000'000} / BitsPerSecond{10e9}).count(), 0.08);
}

TEST(Units, OneGigabytePerSecondIsEightGigabitsPerSecond) {
  EXPECT_DOUBLE_EQ(BitsPerSecond::from_bytes_per_second(1e9).count(), 8e9);
  EXPECT_DOUBLE_EQ(BitsPerSecond{8e9}.bytes_per_second(), 1e9);
}

TEST(Units, ElementsTimesElementSizeIsTheBufferSize) {
  EXPECT_EQ(Elements{25'557'032} * Bytes{4}, Bytes{102'228'128});
}

TEST(Units, CeilDivideRoundsUpOnlyWhereSomethingIsLeft) {
  EXPECT_EQ(ceil_divide(0, 4), 0);
  EXPECT_EQ(ceil_divide(8, 4), 2);
  EXPECT_EQ(ceil_divide(9, 4), 3);
}

TEST(Units, SecondsRoundToTheNearestNanosecond) {
  EXPECT_EQ(to_nanoseconds(Seconds{1.4e-9}), Nanoseconds{1});
  EXPECT_EQ(to_nanoseconds(Seconds{1.6e-9}), Nanoseconds{2});
  EXPECT_EQ(to_nanoseconds(Seconds{-1.6e-9}), Nanoseconds{-2});
}

}  // namespace
}  // namespace gradwire
