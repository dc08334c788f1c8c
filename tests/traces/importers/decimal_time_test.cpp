#include "traces/importers/decimal_time.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

TEST(ParseMicroseconds, KeepsEveryNanosecondOfAnEpochTime) {
  // 16 digits before the point and three behind: a double would keep a quarter of a microsecond.
  EXPECT_EQ(parse_microseconds("1712345678901234.567"), Nanoseconds{1712345678901234567});
  EXPECT_EQ(parse_microseconds("1623212760127829"), Nanoseconds{1623212760127829000});
}

TEST(ParseMicroseconds, RoundsBelowANanosecondHalfUp) {
  EXPECT_EQ(parse_microseconds("1.2344"), Nanoseconds{1234});
  EXPECT_EQ(parse_microseconds("1.2345"), Nanoseconds{1235});
  EXPECT_EQ(parse_microseconds("0.1"), Nanoseconds{100});
}

TEST(ParseMicroseconds, ReadsExponentsAndSigns) {
  EXPECT_EQ(parse_microseconds("1.5e3"), Nanoseconds{1500000});
  EXPECT_EQ(parse_microseconds("25E-1"), Nanoseconds{2500});
  EXPECT_EQ(parse_microseconds("-3"), Nanoseconds{-3000});
}

TEST(ParseMicroseconds, RefusesWhatIsNoNumberOrDoesNotFit) {
  for (const char* text : {"", "NaN", "nan", "N/A", "null", "Infinity", "-", ".", "1.2.3", "12x",
                           "1e99", "1e", "99999999999999999999", "18446744073709551616000"}) {
    EXPECT_FALSE(parse_microseconds(text)) << text;
  }
}

TEST(ParseInteger, RefusesWhatDoesNotFitInt64) {
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_FALSE(parse_integer("10159970886766084423"));
  EXPECT_FALSE(parse_integer("1.0"));
}

}  // namespace
}  // namespace gradwire
