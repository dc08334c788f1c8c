#include "compressors/cost/cost_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compressors/spec/registry.hpp"
#include "tests/support/documentation.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kGood = R"(name: "x1"
device_patterns: "X1"
model {
  launch_s { value: 5e-6 standing: MEASURED source: "bench A" }
  dram_bytes_per_s { value: 1e12 standing: PUBLISHED source: "sheet" }
  host_sync_s { value: 1e-5 standing: ASSUMED source: "guess" }
  scheme { name: "powersgd" fixed_s: 0.001 encode_dram_bytes_per_s: 2e9 standing: DERIVED source: "fit" }
}
entry { scheme: "topk:fraction=0.10" elements: 100 tensors: 3 ranks: 8 encode_s: 0.5 decode_s: 0.25
        standing: MEASURED date: "2024-05" source: "bench B" }
entry { scheme: "signsgd" elements: 100 tensors: 3 encode_and_decode_s: 2 encode_share: 0.25 split_source: "launches"
        standing: RECALLED date: "2021" source: "a paper" alternative_because: "small p" }
)";

std::string refusal_after(const std::string& old_text, const std::string& new_text) {
  std::string text = kGood;
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  text.replace(at, old_text.size(), new_text);
  return test::input_error_of([&] { parse_cost_profile(text, "x1.txtpb"); });
}

TEST(CostProfiles, AreExactlyTheFilesOfTheirFolder) {
  std::vector<std::string> files;
  const std::filesystem::path folder =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "compressors" / "cost" / "cost_profiles";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  for (const CostProfile& profile : cost_profiles()) names.push_back(profile.name);
  EXPECT_EQ(names, files);
}

TEST(CostProfiles, AreFoundForTheirOwnDevicesAlone) {
  for (const char* name : {"V100", "Tesla V100-DGXS-32GB", "tesla v100"}) {
    ASSERT_NE(find_cost_profile(name), nullptr) << name;
    EXPECT_EQ(find_cost_profile(name)->name, "v100-published");
  }
  for (const char* name : {"", "NVIDIA A100-SXM4-40GB", "NVIDIA H200", "V10"}) {
    EXPECT_EQ(find_cost_profile(name), nullptr) << name;
  }
}

TEST(CostProfiles, AreNotOfADeviceWhoseNumberBeginsLikeTheirs) {
  CostProfile profile;
  profile.device_patterns = {"A10", "80GB"};
  EXPECT_TRUE(profile.matches("NVIDIA A10"));
  EXPECT_TRUE(profile.matches("NVIDIA A10G"));
  EXPECT_TRUE(profile.matches("A100 or A10"));
  EXPECT_FALSE(profile.matches("NVIDIA A100-SXM4-40GB"));
  EXPECT_FALSE(profile.matches("NVIDIA A100-SXM4-180GB"));
  EXPECT_TRUE(profile.matches("NVIDIA A100-SXM4-80GB"));
}

TEST(CostProfiles, OfTheStudyClaimNothingAsMeasured) {
  const CostProfile& profile = *find_cost_profile("V100");
  EXPECT_EQ(profile.entries.size(), 7U);
  for (const CostEntry& entry : profile.entries) {
    EXPECT_EQ(entry.provenance.standing, "recalled");
    EXPECT_THAT(entry.provenance.source, HasSubstr("unverified"));
    EXPECT_EQ(entry.alternative_because.empty(), entry.scheme.name != "signsgd");
  }
  EXPECT_EQ(profile.model->launch_s.provenance.standing, "derived");
  EXPECT_EQ(profile.model->host_sync_s.provenance.standing, "assumed");
}

TEST(CostProfileFile, IsReadWithAllItsFields) {
  const CostProfile profile = parse_cost_profile(kGood, "x1.txtpb");
  EXPECT_EQ(profile.name, "x1");
  EXPECT_TRUE(profile.matches("Vendor x1 80GB"));
  EXPECT_DOUBLE_EQ(profile.model->launch_s.value, 5e-6);
  EXPECT_EQ(profile.model->launch_s.provenance.source, "bench A");
  EXPECT_EQ(profile.model->dram_bytes_per_s.provenance.standing, "published");
  ASSERT_NE(profile.model->figures_of("powersgd"), nullptr);
  EXPECT_EQ(profile.model->figures_of("powersgd")->fixed, Seconds{0.001});
  EXPECT_EQ(profile.model->figures_of("powersgd")->encode_dram_bytes_per_s, 2e9);
  EXPECT_EQ(profile.model->figures_of("signsgd"), nullptr);
  ASSERT_EQ(profile.entries.size(), 2U);
  const CostEntry& topk = profile.entries[0];
  EXPECT_EQ(topk.scheme, (SchemeText{"topk", {{"fraction", "0.1"}}}));
  EXPECT_EQ(topk.ranks, 8);
  EXPECT_EQ(topk.encode, Seconds{0.5});
  EXPECT_EQ(topk.decode, Seconds{0.25});
  EXPECT_EQ(topk.date, "2024-05");
  EXPECT_EQ(topk.split_source, "");
  const CostEntry& signsgd = profile.entries[1];
  EXPECT_EQ(signsgd.ranks, 0);
  EXPECT_EQ(signsgd.encode, Seconds{0.5});
  EXPECT_EQ(signsgd.decode, Seconds{1.5});
  EXPECT_EQ(signsgd.split_source, "25.0 % of the sum counted as encode: launches");
  EXPECT_EQ(signsgd.alternative_because, "small p");
}

TEST(CostProfileFile, TheExampleOfItsPageIsAccepted) {
  const std::string example = test::first_example_of("formats/cost-profile.md");
  EXPECT_TRUE(parse_cost_profile(example, "cost-profile.md").matches("Tesla V100"));
}

TEST(CostProfileFile, OfTheGpuScriptIsAcceptedAndNeedsNoModel) {
  // tests/gpu/capture_profiles_test.py holds the script to the same file.
  const CostProfile profile =
      read_cost_profile(GRADWIRE_SOURCE_DIR "/tests/golden/gpu-script-cost-profile.txtpb");
  EXPECT_FALSE(profile.model.has_value());
  ASSERT_EQ(profile.entries.size(), 2U);
  EXPECT_EQ(profile.entries[0].elements, Elements{25'557'032});
  EXPECT_EQ(profile.entries[0].tensors, 161);
  EXPECT_NEAR(profile.entries[0].encode.count(), 0.003, 1e-12);
  EXPECT_NEAR(profile.entries[0].decode.count(), 0.0005, 1e-12);
}

TEST(CostProfileFile, WithAnUnknownFieldIsRefusedWithLineAndColumn) {
  EXPECT_THAT(refusal_after("  host_sync_s", "  sync_s"),
              AllOf(StartsWith("x1.txtpb:6:"), HasSubstr("sync_s")));
}

TEST(CostProfileFile, WithoutNamePatternSourceStandingOrDateIsRefused) {
  EXPECT_THAT(refusal_after("name: \"x1\"", ""), StartsWith("x1.txtpb: name:"));
  EXPECT_THAT(refusal_after("\"X1\"", "\"\""), StartsWith("x1.txtpb: device_patterns:"));
  EXPECT_THAT(refusal_after("source: \"bench A\"", ""),
              StartsWith("x1.txtpb: model: launch_s: has no source"));
  EXPECT_THAT(refusal_after("standing: ASSUMED", ""),
              StartsWith("x1.txtpb: model: host_sync_s: has no standing"));
  EXPECT_THAT(refusal_after("standing: DERIVED", ""), HasSubstr("\"powersgd\": has no standing"));
  EXPECT_THAT(refusal_after("standing: MEASURED date", "date"),
              StartsWith("x1.txtpb: entry 1 (topk:fraction=0.10): has no standing"));
  EXPECT_THAT(refusal_after("source: \"bench B\"", ""), HasSubstr("entry 1 (topk:fraction=0.10)"));
  EXPECT_THAT(refusal_after("date: \"2024-05\"", ""), HasSubstr("has no date"));
}

TEST(CostProfileFile, WithATimeThatIsNoneIsRefused) {
  for (const char* time : {"-0.5", "nan", "inf"}) {
    EXPECT_THAT(refusal_after("encode_s: 0.5", std::string{"encode_s: "} + time),
                AllOf(HasSubstr("encode_s: "), HasSubstr("0 or more seconds")));
    EXPECT_THAT(
        refusal_after("encode_and_decode_s: 2", std::string{"encode_and_decode_s: "} + time),
        HasSubstr("0 or more seconds"));
    EXPECT_THAT(refusal_after("fixed_s: 0.001", std::string{"fixed_s: "} + time),
                HasSubstr("fixed_s"));
    EXPECT_THAT(refusal_after("value: 5e-6", std::string{"value: "} + time),
                HasSubstr("more than 0"));
  }
  EXPECT_THAT(refusal_after("encode_dram_bytes_per_s: 2e9", "encode_dram_bytes_per_s: 0"),
              HasSubstr("encode_dram_bytes_per_s: 0"));
}

TEST(CostProfileFile, WithASumThatIsNotSplitOrSplitTwiceIsRefused) {
  EXPECT_THAT(refusal_after("encode_share: 0.25", ""), HasSubstr("needs encode_share"));
  EXPECT_THAT(refusal_after("encode_share: 0.25", "encode_share: 1.5"), HasSubstr("0 to 1"));
  EXPECT_THAT(refusal_after("split_source: \"launches\"", ""), HasSubstr("split_source"));
  EXPECT_THAT(refusal_after("encode_share: 0.25", "encode_s: 1"), HasSubstr("one form"));
  EXPECT_THAT(refusal_after("decode_s: 0.25", ""), HasSubstr("are needed"));
}

TEST(CostProfileFile, WithAnUnknownSchemeASizeOfNothingOrTheSameQuestionTwiceIsRefused) {
  EXPECT_THAT(refusal_after("scheme: \"signsgd\"", "scheme: \"zip\""),
              AllOf(StartsWith("x1.txtpb: entry 2 (zip)"), HasSubstr("accepted: none, fp16")));
  EXPECT_THAT(refusal_after("fraction=0.10", "ratio=0.10"), HasSubstr("no parameter \"ratio\""));
  EXPECT_THAT(refusal_after("name: \"powersgd\"", "name: \"zip\""), HasSubstr("is not known"));
  EXPECT_THAT(refusal_after("elements: 100", "elements: 0"), HasSubstr("elements 0"));
  EXPECT_THAT(refusal_after("ranks: 8", "ranks: -1"), HasSubstr("ranks -1"));
  const std::string twice =
      std::string{kGood} + std::string{kGood}.substr(std::string{kGood}.find("entry"));
  EXPECT_THAT(test::input_error_of([&] { parse_cost_profile(twice, "x1.txtpb"); }),
              AllOf(HasSubstr("entry 3"), HasSubstr("same question")));
}

TEST(SchemeText, IsTheSpellingTakenApart) {
  EXPECT_EQ(scheme_text_of(*parse_scheme("signsgd")), (SchemeText{"signsgd", {}}));
  EXPECT_EQ(scheme_text_of(*parse_scheme("powersgd")),
            (SchemeText{"powersgd", {{"rank", "4"}, {"min_compression_rate", "0"}}}));
}

}  // namespace
}  // namespace gradwire
