#include "base/unit_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string bytes_refusal(const std::string& text) {
  return test::input_error_of([&] { parse_bytes(text, "--size"); });
}

std::string bandwidth_refusal(const std::string& text) {
  return test::input_error_of([&] { parse_bandwidth(text, "--nic"); });
}

std::string duration_refusal(const std::string& text) {
  return test::input_error_of([&] { parse_duration(text, "--latency"); });
}

TEST(ParseBytes, DecimalPrefixesArePowersOfTen) {
  EXPECT_EQ(parse_bytes("512B", "x"), Bytes{512});
  EXPECT_EQ(parse_bytes("1kB", "x"), Bytes{1'000});
  EXPECT_EQ(parse_bytes("1KB", "x"), Bytes{1'000});
  EXPECT_EQ(parse_bytes("100MB", "x"), Bytes{100'000'000});
  EXPECT_EQ(parse_bytes("2GB", "x"), Bytes{2'000'000'000});
  EXPECT_EQ(parse_bytes("1TB", "x"), Bytes{1'000'000'000'000});
}

TEST(ParseBytes, BinaryPrefixesArePowersOfTwo) {
  EXPECT_EQ(parse_bytes("1KiB", "x"), Bytes{1'024});
  EXPECT_EQ(parse_bytes("25MiB", "x"), Bytes{26'214'400});
  EXPECT_EQ(parse_bytes("1GiB", "x"), Bytes{1'073'741'824});
  EXPECT_EQ(parse_bytes("1TiB", "x"), Bytes{1'099'511'627'776});
}

TEST(ParseBytes, FractionsAndBlanksAreReadWhereTheResultIsWhole) {
  EXPECT_EQ(parse_bytes("0.1GB", "x"), Bytes{100'000'000});
  EXPECT_EQ(parse_bytes(" 1.5 KiB ", "x"), Bytes{1'536});
  EXPECT_EQ(parse_bytes("1e3B", "x"), Bytes{1'000});
  EXPECT_EQ(parse_bytes("0B", "x"), Bytes{0});
}

TEST(ParseBytes, ANumberWithoutUnitIsRefusedAndTheOptionIsNamed) {
  EXPECT_THAT(bytes_refusal("25"),
              AllOf(StartsWith("--size: \"25\""), HasSubstr("no unit"), HasSubstr("MiB")));
}

TEST(ParseBytes, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", " ", "MiB", "many MiB", "nanB", "infB", "1e999B"}) {
    EXPECT_THAT(bytes_refusal(text), AllOf(StartsWith("--size:"), HasSubstr("not a number")))
        << text;
  }
}

TEST(ParseBytes, AnUnknownUnitIsRefusedAndNamed) {
  for (const char* unit : {"mb", "Mb", "M", "MIB", "bytes", "Gbps", "B/s", "B B"}) {
    EXPECT_THAT(bytes_refusal(std::string{"3"} + unit),
                AllOf(HasSubstr("unknown unit"), HasSubstr(unit)))
        << unit;
  }
}

TEST(ParseBytes, ANegativeSizeIsRefused) {
  EXPECT_THAT(bytes_refusal("-1B"), HasSubstr("out of range"));
}

TEST(ParseBytes, ASizeBeyondSixtyThreeBitsIsRefused) {
  EXPECT_THAT(bytes_refusal("1e19B"), HasSubstr("out of range"));
}

TEST(ParseBytes, APartOfAByteIsRefused) {
  EXPECT_THAT(bytes_refusal("1.5B"), HasSubstr("whole number of bytes"));
  EXPECT_THAT(bytes_refusal("0.0001kB"), HasSubstr("whole number of bytes"));
}

TEST(ParseBandwidth, BitsPerSecondUsePowersOfTen) {
  EXPECT_DOUBLE_EQ(parse_bandwidth("10Gbps", "x").count(), 1e10);
  EXPECT_DOUBLE_EQ(parse_bandwidth("10Gbit/s", "x").count(), 1e10);
  EXPECT_DOUBLE_EQ(parse_bandwidth("937.5 Mbps", "x").count(), 9.375e8);
  EXPECT_DOUBLE_EQ(parse_bandwidth("1kbps", "x").count(), 1e3);
  EXPECT_DOUBLE_EQ(parse_bandwidth("1.6Tbps", "x").count(), 1.6e12);
}

// 1.25e9 bytes/s are 1e10 bits/s; 2^30 bytes/s are 8 * 2^30 bits/s.
TEST(ParseBandwidth, BytesPerSecondAreEightTimesTheBits) {
  EXPECT_DOUBLE_EQ(parse_bandwidth("1.25GB/s", "x").count(), 1e10);
  EXPECT_DOUBLE_EQ(parse_bandwidth("1GiB/s", "x").count(), 8.0 * 1'073'741'824.0);
}

TEST(ParseBandwidth, ANumberWithoutUnitIsRefused) {
  EXPECT_THAT(bandwidth_refusal("10"), AllOf(StartsWith("--nic: \"10\""), HasSubstr("no unit")));
}

TEST(ParseBandwidth, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "Gbps", "fastGbps", "nanGbps", "infGbps"}) {
    EXPECT_THAT(bandwidth_refusal(text), HasSubstr("not a number")) << text;
  }
}

TEST(ParseBandwidth, AnUnknownUnitIsRefused) {
  for (const char* text : {"10G", "10GB", "10gbps", "10Gib/s", "10/s", "10Gbps/s"}) {
    EXPECT_THAT(bandwidth_refusal(text), HasSubstr("unknown unit")) << text;
  }
}

TEST(ParseBandwidth, ZeroNegativeAndAbsurdSpeedsAreRefused) {
  for (const char* text : {"0Gbps", "-1Gbps", "1e-9bps", "1e300Gbps"}) {
    EXPECT_THAT(bandwidth_refusal(text),
                AllOf(HasSubstr("out of range"), HasSubstr("greater than zero")))
        << text;
  }
}

TEST(ParseDuration, EachUnitIsItsPartOfASecond) {
  EXPECT_DOUBLE_EQ(parse_duration("120ns", "x").count(), 1.2e-7);
  EXPECT_DOUBLE_EQ(parse_duration("20us", "x").count(), 2e-5);
  EXPECT_DOUBLE_EQ(parse_duration("20\u00b5s", "x").count(), 2e-5);
  EXPECT_DOUBLE_EQ(parse_duration("3.5ms", "x").count(), 3.5e-3);
  EXPECT_DOUBLE_EQ(parse_duration("2 s", "x").count(), 2.0);
  EXPECT_DOUBLE_EQ(parse_duration("0s", "x").count(), 0.0);
}

TEST(ParseDuration, IsTheDoubleNextToTheDecimalNumber) {
  EXPECT_EQ(parse_duration("10us", "x").count(), 10e-6);
  EXPECT_EQ(parse_duration("50us", "x").count(), 50e-6);
  EXPECT_EQ(parse_duration("3ns", "x").count(), 3e-9);
}

TEST(ParseDuration, ANumberWithoutUnitIsRefusedEvenZero) {
  EXPECT_THAT(duration_refusal("20"), AllOf(StartsWith("--latency:"), HasSubstr("no unit")));
  EXPECT_THAT(duration_refusal("0"), HasSubstr("no unit"));
}

TEST(ParseDuration, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "us", "soon", "nanus", "infs"}) {
    EXPECT_THAT(duration_refusal(text), HasSubstr("not a number")) << text;
  }
}

TEST(ParseDuration, AnUnknownUnitIsRefused) {
  for (const char* text : {"20m", "20min", "20US", "20Gbps"}) {
    EXPECT_THAT(duration_refusal(text), HasSubstr("unknown unit")) << text;
  }
}

TEST(ParseDuration, NegativeAndAbsurdTimesAreRefused) {
  for (const char* text : {"-1us", "1e7s", "1e308s"}) {
    EXPECT_THAT(duration_refusal(text), AllOf(HasSubstr("out of range"), HasSubstr("negative")))
        << text;
  }
}

TEST(Format, DurationsTakeTheUnitThatKeepsThemReadable) {
  EXPECT_EQ(format_duration(Seconds{0.16213}), "162.1 ms");
  EXPECT_EQ(format_duration(Seconds{25e-6}), "25 us");
  EXPECT_EQ(format_duration(Seconds{1.5}), "1.5 s");
  EXPECT_EQ(format_duration(Seconds{3e-9}), "3 ns");
  EXPECT_EQ(format_duration(Seconds{0}), "0 s");
  EXPECT_EQ(format_duration(Seconds{-0.002}), "-2 ms");
}

TEST(Format, ADurationThatRoundsUpToTheNextUnitTakesIt) {
  // 999.96 us has four digits as 1000 us; one millisecond is what a person expects.
  EXPECT_EQ(format_duration(Seconds{999.96e-6}), "1 ms");
}

TEST(Format, BandwidthIsInBitsPerSecond) {
  EXPECT_EQ(format_bandwidth(BitsPerSecond{1e10}), "10 Gbps");
  EXPECT_EQ(format_bandwidth(BitsPerSecond{9.375e8}), "937.5 Mbps");
}

TEST(Format, BytesUsePowersOfTen) {
  EXPECT_EQ(format_bytes(Bytes{102'228'128}), "102.2 MB");
  EXPECT_EQ(format_bytes(Bytes{512}), "512 B");
  EXPECT_EQ(format_bytes(Bytes{0}), "0 B");
}

TEST(Format, WhatIsFormattedIsReadBack) {
  for (const double bits : {1e9, 2.5e10, 9.375e8, 4e11}) {
    EXPECT_DOUBLE_EQ(parse_bandwidth(format_bandwidth(BitsPerSecond{bits}), "x").count(), bits);
  }
}

}  // namespace
}  // namespace gradwire
