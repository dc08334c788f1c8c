#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/calibration/iperf_run.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using test::input_error_of;
using ::testing::HasSubstr;

const std::string kTcp = R"({"start":{"test_start":{"protocol":"TCP","num_streams":2}},
"intervals":[{"sum":{"bits_per_second":5e9,"omitted":true}},
             {"sum":{"bits_per_second":9.2e9,"omitted":false}},
             {"sum":{"bits_per_second":9.6e9,"omitted":false}}],
"end":{"streams":[{"sender":{"min_rtt":50,"mean_rtt":300}},{"sender":{"min_rtt":40,"mean_rtt":500}}],
       "sum_sent":{"bits_per_second":9.5e9,"seconds":2,"retransmits":17},
       "sum_received":{"bits_per_second":9.4e9,"seconds":2.01}}})";

const std::string kUdp = R"({"start":{"test_start":{"protocol":"UDP","num_streams":1},
"target_bitrate":1e9},"intervals":[],
"end":{"sum":{"bits_per_second":1e9,"seconds":10,"jitter_ms":0.02,"lost_percent":25}}})";

/// `text` with the first `old_text` replaced.
std::string changed(std::string text, const std::string& old_text, const std::string& new_text) {
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

std::string refusal(const std::string& text) {
  return input_error_of([&] { read_iperf(text, "i.json"); });
}

TEST(IperfReader, ReadsStreamsRetransmitsAndRoundTripsOfTcp) {
  const IperfRun run = read_iperf(kTcp, "i.json");
  EXPECT_FALSE(run.udp);
  EXPECT_EQ(run.streams, 2);
  EXPECT_EQ(run.received.count(), 9.4e9);
  EXPECT_EQ(run.retransmits, 17);
  ASSERT_EQ(run.intervals.size(), 2U);  // the first is omitted
  EXPECT_EQ(run.intervals[0].count(), 9.2e9);
  EXPECT_NEAR(run.least_round_trip->count(), 40e-6, 1e-12);
  EXPECT_NEAR(run.mean_round_trip->count(), 400e-6, 1e-12);
  EXPECT_FALSE(run.lost_share.has_value());
}

TEST(IperfReader, WhatUdpLosesIsNotReceived) {
  const IperfRun run = read_iperf(kUdp, "i.json");
  EXPECT_TRUE(run.udp);
  EXPECT_NEAR(run.received.count(), 0.75e9, 1.0);
  EXPECT_NEAR(*run.lost_share, 0.25, 1e-12);
  EXPECT_NEAR(run.jitter->count(), 20e-6, 1e-12);
  EXPECT_EQ(run.target->count(), 1e9);
  EXPECT_FALSE(run.least_round_trip.has_value());
}

TEST(IperfReader, RefusesEveryCutOfTheFile) {
  for (std::size_t length = 0; length < kTcp.size(); ++length) {
    EXPECT_THAT(refusal(kTcp.substr(0, length)), HasSubstr("i.json: ")) << length;
  }
}

TEST(IperfReader, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(refusal(R"({"error":"unable to connect"})"), HasSubstr("unable to connect"));
  EXPECT_THAT(refusal(R"({"a":1})"), HasSubstr("i.json: start: is missing"));
  EXPECT_THAT(refusal(changed(kTcp, "9.4e9", "-1")),
              HasSubstr("end.sum_received.bits_per_second: is no number from 0 up"));
  EXPECT_THAT(refusal(changed(kTcp, "9.4e9", "0")), HasSubstr("nothing arrived"));
  EXPECT_THAT(refusal(changed(kTcp, "9.6e9", "\"9\"")),
              HasSubstr("intervals[2].sum.bits_per_second"));
  EXPECT_THAT(refusal(changed(kTcp, "\"TCP\"", "\"SCTP\"")), HasSubstr("protocol"));
  EXPECT_THAT(refusal(changed(kTcp, "\"num_streams\":2", "\"num_streams\":2,\"bidir\":1")),
              HasSubstr("--bidir"));
  EXPECT_THAT(refusal(changed(kUdp, "\"lost_percent\":25", "\"lost_percent\":125")),
              HasSubstr("more than 100"));
}

}  // namespace
}  // namespace gradwire
