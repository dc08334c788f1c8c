#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/input_file.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string written(const CostProfile& profile) {
  std::ostringstream out;
  write_cost_profile(profile, out);
  return out.str();
}

CostProfile measured_profile() {
  CostProfile profile;
  profile.name = "measured on Made-up 1";
  profile.device_patterns = {"Made-up 1"};
  profile.measuring =
      MeasuringContext{{DeviceKind::kGpu, "Made-up 1", "1980 MHz", {"driver 1.2", "toolkit 13.0"}},
                       "fused",
                       "medians",
                       "2026-12-02",
                       {"topk on 2^28 elements: no memory"}};
  CostEntry entry;
  entry.scheme = {"topk", {{"fraction", "0.1"}, {"index_bytes", "4"}}};
  entry.elements = Elements{1024};
  entry.tensors = 1;
  entry.ranks = 8;
  entry.encode = Seconds{1.25e-5};
  entry.decode = Seconds{0.1 + 0.2};  // needs all 17 digits
  entry.date = "2026-12-02";
  entry.provenance = {"measured", "median of 10 exchanges"};
  entry.spread = MeasuredSpread{10, Seconds{1e-5}, Seconds{2e-5}, Seconds{0.1}, Seconds{0.1 + 0.2}};
  profile.entries.push_back(entry);
  return profile;
}

TEST(CostProfileWriter, WritesWhatTheReaderReadsBackAsEqual) {
  const CostProfile profile = measured_profile();
  EXPECT_EQ(parse_cost_profile(written(profile), "w.txtpb"), profile);
}

TEST(CostProfileWriter, KeepsEveryProfileThatComesWithTheProgram) {
  ASSERT_FALSE(cost_profiles().empty());
  for (const CostProfile& profile : cost_profiles()) {
    EXPECT_EQ(parse_cost_profile(written(profile), "w.txtpb"), profile) << profile.name;
  }
}

TEST(CostProfileWriter, KeepsTextWithQuotesLinesAndLettersBeyondAscii) {
  CostProfile profile = measured_profile();
  profile.name = "a \"quoted\" \\ name\nof two lines, 25 \u00b5s";
  EXPECT_EQ(parse_cost_profile(written(profile), "w.txtpb"), profile);
  EXPECT_THAT(written(profile), HasSubstr("25 \u00b5s"));
}

TEST(CostProfileWriter, PutsTheContextBeforeTheEntries) {
  EXPECT_EQ(written(measured_profile()),
            R"(# docs/formats/cost-profile.md
name: "measured on Made-up 1"
device_patterns: "Made-up 1"
measuring {
  device_kind: GPU
  device: "Made-up 1"
  clocks: "1980 MHz"
  software: "driver 1.2"
  software: "toolkit 13.0"
  implementation: "fused"
  method: "medians"
  date: "2026-12-02"
  left_out: "topk on 2^28 elements: no memory"
}
entry {
  scheme: "topk:fraction=0.1,index_bytes=4"
  elements: 1024
  tensors: 1
  ranks: 8
  encode_s: 1.25e-05
  decode_s: 0.30000000000000004
  standing: MEASURED
  date: "2026-12-02"
  source: "median of 10 exchanges"
  spread {
    samples: 10
    encode_low_s: 1e-05
    encode_high_s: 2e-05
    decode_low_s: 0.1
    decode_high_s: 0.30000000000000004
  }
}
)");
}

TEST(MeasuringContext, AndSpreadOfTheFormatsPageAreAccepted) {
  const std::string page = read_whole_file(GRADWIRE_SOURCE_DIR "/docs/formats/cost-profile.md");
  const std::size_t begin = page.find("\nmeasuring {");
  ASSERT_NE(begin, std::string::npos);
  const std::string example = page.substr(begin, page.find("\n```", begin) - begin);
  const CostProfile profile =
      parse_cost_profile("name: 'x' device_patterns: 'x'" + example, "cost-profile.md");
  EXPECT_EQ(profile.measuring->machine.kind, DeviceKind::kCpu);
  EXPECT_EQ(profile.entries.front().spread->samples, 10);
}

std::string refusal_after(const std::string& old_text, const std::string& new_text) {
  std::string text = written(measured_profile());
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  text.replace(at, old_text.size(), new_text);
  return test::input_error_of([&] { parse_cost_profile(text, "w.txtpb"); });
}

TEST(MeasuringContext, WithoutKindDeviceImplementationMethodOrDateIsRefused) {
  EXPECT_THAT(refusal_after("device_kind: GPU", ""),
              AllOf(StartsWith("w.txtpb: measuring: device_kind"), HasSubstr("CPU, GPU")));
  EXPECT_THAT(refusal_after("device: \"Made-up 1\"", ""), HasSubstr("measuring: device: is"));
  EXPECT_THAT(refusal_after("implementation: \"fused\"", ""), HasSubstr("implementation: is"));
  EXPECT_THAT(refusal_after("method: \"medians\"", ""), HasSubstr("measuring: method: is"));
  EXPECT_THAT(refusal_after("date: \"2026-12-02\"", ""), HasSubstr("measuring: date: is"));
}

TEST(MeasuredSpread, ThatDoesNotHoldTheFigureIsRefused) {
  EXPECT_THAT(refusal_after("encode_low_s: 1e-05", "encode_low_s: 1.5e-05"),
              HasSubstr("spread: encode: 1.5e-05 to 2e-05 s found around 1.25e-05 s"));
  EXPECT_THAT(refusal_after("encode_low_s: 1e-05", "encode_low_s: -1"), HasSubstr("0 <= low"));
  EXPECT_THAT(refusal_after("decode_high_s: 0.30000000000000004", "decode_high_s: 0.2"),
              HasSubstr("spread: decode"));
  EXPECT_THAT(refusal_after("decode_high_s: 0.30000000000000004", "decode_high_s: inf"),
              HasSubstr("spread: decode"));
  EXPECT_THAT(refusal_after("decode_low_s: 0.1", "decode_low_s: nan"), HasSubstr("spread: decode"));
  EXPECT_THAT(refusal_after("samples: 10", "samples: 0"), HasSubstr("samples: 0 found"));
}

TEST(MeasuredSpread, OfAFigureThatWasNotMeasuredIsRefused) {
  EXPECT_THAT(refusal_after("standing: MEASURED", "standing: ASSUMED"),
              HasSubstr("spread: found beside a figure that is assumed"));
}

}  // namespace
}  // namespace gradwire
