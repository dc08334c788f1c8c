#include "compressors/cost/device_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compressors/cost/device_profile_texts.hpp"
#include "tests/support/documentation.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kGood = R"(name: "x1"
device_patterns: "X1"
device_patterns: "X1e"
overlap_slowdown { factor: 1.2 low: 1.1 high: 1.4 standing: MEASURED source: "a bench" }
)";

std::string refusal_after(const std::string& old_text, const std::string& new_text) {
  std::string text = kGood;
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  text.replace(at, old_text.size(), new_text);
  return test::input_error_of([&] { parse_device_profile(text, "x1.txtpb"); });
}

// Recalled from the study: 1.07 within 1.04 to 1.1 for V100 over TCP.
TEST(OverlapSlowdown, OfAV100IsTheRecalledOneUnderEveryNameItGoesBy) {
  for (const char* name : {"V100", "Tesla V100-DGXS-32GB", "Tesla V100-SXM2-16GB", "tesla v100"}) {
    const OverlapSlowdown slowdown = overlap_slowdown_of(name);
    EXPECT_DOUBLE_EQ(slowdown.factor, 1.07) << name;
    EXPECT_DOUBLE_EQ(slowdown.low, 1.04);
    EXPECT_DOUBLE_EQ(slowdown.high, 1.1);
    EXPECT_EQ(slowdown.standing, "recalled");
    EXPECT_THAT(slowdown.source, HasSubstr("2103.00543"));
  }
}

TEST(OverlapSlowdown, OfADeviceWithoutProfileIsTheWholeBandAndSaysThatItIsAssumed) {
  for (const char* name : {"", "NVIDIA A100-SXM4-40GB", "AMD Instinct MI300X", "V10"}) {
    const OverlapSlowdown slowdown = overlap_slowdown_of(name);
    EXPECT_DOUBLE_EQ(slowdown.low, 1.0) << name;
    EXPECT_DOUBLE_EQ(slowdown.high, 1.2);
    EXPECT_DOUBLE_EQ(slowdown.factor, 1.1);
    EXPECT_EQ(slowdown.standing, "assumed");
    EXPECT_THAT(slowdown.source, HasSubstr("no profile"));
  }
}

TEST(DeviceProfiles, AreExactlyTheFilesOfTheirFolder) {
  std::vector<std::string> files;
  const std::filesystem::path folder =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "compressors" / "cost" / "profiles";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  for (const DeviceProfile& profile : device_profiles()) names.push_back(profile.name);
  EXPECT_EQ(names, files);
}

TEST(DeviceProfiles, NeverMatchAPatternOfEachOther) {
  for (const DeviceProfile& profile : device_profiles()) {
    for (const std::string& pattern : profile.device_patterns) {
      const auto matching =
          std::count_if(device_profiles().begin(), device_profiles().end(),
                        [&](const DeviceProfile& p) { return p.matches(pattern); });
      EXPECT_EQ(matching, 1) << pattern;
    }
  }
}

TEST(DeviceProfileFile, IsReadWithAllItsFields) {
  const DeviceProfile profile = parse_device_profile(kGood, "x1.txtpb");
  EXPECT_EQ(profile.name, "x1");
  EXPECT_TRUE(profile.matches("Vendor X1e 80GB"));
  EXPECT_FALSE(profile.matches("Vendor X2"));
  EXPECT_EQ(profile.overlap_slowdown, (OverlapSlowdown{1.2, 1.1, 1.4, "measured", "a bench"}));
}

TEST(DeviceProfileFile, TheExampleOfItsPageIsAccepted) {
  const std::string example = test::first_example_of("formats/device-profile.md");
  EXPECT_TRUE(parse_device_profile(example, "device-profile.md").matches("Tesla V100"));
}

TEST(DeviceProfileFile, WithAFactorOutsideItsBandOrBelowOneIsRefused) {
  for (const char* factor : {"1.05", "1.5", "nan", "inf", "-1.2", "0"}) {
    EXPECT_THAT(refusal_after("factor: 1.2", std::string{"factor: "} + factor),
                AllOf(StartsWith("x1.txtpb: overlap_slowdown: factor"),
                      HasSubstr("1 <= low <= factor <= high")))
        << factor;
  }
  EXPECT_THAT(refusal_after("low: 1.1", "low: 0.9"), HasSubstr("low 0.9"));
  EXPECT_THAT(refusal_after("high: 1.4", "high: inf"), HasSubstr("high inf"));
  EXPECT_THAT(refusal_after("factor: 1.2", ""), HasSubstr("factor 0"));
}

TEST(DeviceProfileFile, WithoutNamePatternSourceOrStandingIsRefused) {
  EXPECT_THAT(refusal_after("name: \"x1\"", ""), StartsWith("x1.txtpb: name:"));
  EXPECT_THAT(refusal_after("\"X1e\"", "\"\""), StartsWith("x1.txtpb: device_patterns:"));
  EXPECT_THAT(refusal_after("device_patterns: \"X1\"\ndevice_patterns: \"X1e\"", ""),
              StartsWith("x1.txtpb: device_patterns:"));
  EXPECT_THAT(refusal_after("source: \"a bench\"", ""), HasSubstr("no source"));
  EXPECT_THAT(refusal_after("standing: MEASURED", ""), HasSubstr("no standing"));
}

TEST(DeviceProfileFile, WithAnUnknownFieldIsRefusedWithLineAndColumn) {
  EXPECT_THAT(refusal_after("device_patterns: \"X1e\"", "gamma: 1.2"),
              AllOf(StartsWith("x1.txtpb:3:"), HasSubstr("gamma")));
}

}  // namespace
}  // namespace gradwire
