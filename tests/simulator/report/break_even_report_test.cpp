#include "simulator/report/break_even_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "simulator/report/break_even_text.hpp"

namespace gradwire {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr BreakEvenUnknown kBandwidth = BreakEvenUnknown::kBandwidth;

BreakEven below_nine() {
  BreakEven found;
  found.range = {0.1e9, 400e9};
  found.holds = {{0.1e9, 9e9, false, true}};
  found.value_low = 4.0;
  found.value_high = 0.5;
  found.here = 10e9;
  found.value_here = 0.8;
  return found;
}

BreakEvenReport report_of(std::vector<BreakEven> answers) {
  BreakEvenReport report;
  report.workers = 4;
  report.bandwidth = BitsPerSecond{10e9};
  report.baseline = "float32";
  report.compressors = {{"signsgd",
                         Bytes{1000},
                         32.0,
                         Seconds{3e-3},
                         Seconds{1e-3},
                         "recalled",
                         std::move(answers),
                         {}}};
  return report;
}

std::string text_of(const BreakEvenReport& report) {
  std::ostringstream out;
  write_text(report, out);
  return out.str();
}

TEST(BreakEvenText, APlaceSaysWhichEndsAreRoots) {
  EXPECT_EQ(place_text(kBandwidth, {}), "nowhere");
  EXPECT_EQ(place_text(kBandwidth, {{1e8, 4e11, false, false}}), "everywhere");
  EXPECT_EQ(place_text(kBandwidth, {{1e8, 9e9, false, true}}), "below 9 Gbps");
  EXPECT_EQ(place_text(kBandwidth, {{3e9, 4e11, true, false}}), "above 3 Gbps");
  EXPECT_EQ(place_text(kBandwidth, {{3e9, 9e9, true, true}}), "between 3 Gbps and 9 Gbps");
  EXPECT_EQ(place_text(kBandwidth, {{1e8, 2e9, false, true}, {6e9, 4e11, true, false}}),
            "below 2 Gbps and above 6 Gbps");
}

TEST(BreakEvenText, WholeNumbersAreIncluded) {
  EXPECT_EQ(place_text(BreakEvenUnknown::kWorkers, {{2, 63, false, true}}), "up to 63 workers");
  EXPECT_EQ(place_text(BreakEvenUnknown::kBatch, {{615, 4096, true, false}}),
            "from 615 samples a rank on");
  EXPECT_EQ(place_text(BreakEvenUnknown::kWorkers, {{3, 6, true, true}}),
            "from 3 workers to 6 workers");
  EXPECT_EQ(place_text(BreakEvenUnknown::kBatch, {{1, 1, true, true}}), "at 1 sample a rank");
}

TEST(BreakEvenText, ASentenceNamesWhereAndHowItIsHere) {
  EXPECT_EQ(break_even_sentence(below_nine(), "signsgd", "fp16"),
            "signsgd is faster than fp16 below 9 Gbps; here, at 10 Gbps, 25.0 % slower.");
}

TEST(BreakEvenText, WithoutARootTheEndsTellHowFarItIs) {
  BreakEven found = below_nine();
  found.holds.clear();
  found.value_low = 0.05;
  found.here.reset();
  EXPECT_EQ(break_even_sentence(found, "signsgd", "float32"),
            "signsgd is faster than float32 nowhere from 100 Mbps to 400 Gbps: 20 times as long at "
            "100 Mbps, 100.0 % slower at 400 Gbps.");
}

TEST(BreakEvenText, ABandIsItsNarrowestAndItsWidestAnswer) {
  BreakEven found = below_nine();
  found.band = BreakEvenBand{{}, {{0.1e9, 12e9, false, true}}};
  EXPECT_THAT(break_even_sentence(found, "signsgd", "float32"),
              HasSubstr(". Inside the bands at the least nowhere, at the most below 12 Gbps."));
}

TEST(BreakEvenReport, TheFirstLineIsThePlainAnswer) {
  const std::string text = text_of(report_of({below_nine()}));
  EXPECT_THAT(text,
              StartsWith("4 workers at 10 Gbps: signsgd is faster than float32 below 9 Gbps"));
  EXPECT_THAT(text, HasSubstr("encoding takes 3 ms, decoding 1 ms (recalled)."));
}

TEST(BreakEvenReport, UnknownCostsAreSaidAndNotWritten) {
  BreakEvenReport report = report_of({});
  report.compressors[0].encode.reset();
  report.compressors[0].decode.reset();
  report.compressors[0].standing = "unknown";
  report.compressors[0].unanswered = {"no profile"};
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("what encoding and decoding take on this device is not known"));
  EXPECT_THAT(text, HasSubstr("Not answered for signsgd: no profile."));
  EXPECT_THAT(text, Not(HasSubstr("encoding takes")));
}

TEST(BreakEvenReport, ATableCountsThoseThatAreFasterHereAndThoseThatCannotBeTold) {
  BreakEvenReport report = report_of({below_nine()});
  report.as_table = true;
  report.compressors.push_back(report.compressors[0]);
  report.compressors[1].answers[0].value_here = 1.5;
  report.compressors.push_back(report.compressors[0]);
  report.compressors[2].answers.clear();
  const std::string text = text_of(report);
  EXPECT_THAT(text,
              StartsWith("4 workers at 10 Gbps: 1 of 3 compressors are faster than float32, of "
                         "1 it cannot be told.\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nsignsgd +32  below 9 Gbps\n"));
  EXPECT_THAT(text, HasSubstr("Looked at: bandwidth from 100 Mbps to 400 Gbps."));
}

}  // namespace
}  // namespace gradwire
