#include "compressors/measure/measured_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/compressors/measure/scripted_device.hpp"

namespace gradwire {
namespace {

CostProfile profile_of(const MeasurementRequest& request, int samples) {
  test::ScriptedDevice device;
  const MeasuredImplementation& implementation = device.implementations().front();
  const MeasurementOutcome outcome =
      run_measurement(make_measurement_plan(request, implementation), {samples, Seconds{1000}},
                      device, device.surroundings());
  return measured_profile(device.machine(), implementation, outcome, "2026-12-02");
}

// Samples 2 to 5 take 1.2, 1.3, 1.4 and 1.5 times 1000 us, the median 1.35.
TEST(MeasuredProfile, HasTheMedianTheSmallestAndTheLargestSampleOfEachHalf) {
  const CostProfile profile = profile_of({{"signsgd"}, {Elements{1000}}, {}, {8}}, 4);
  ASSERT_EQ(profile.entries.size(), 1U);
  const CostEntry& entry = profile.entries.front();
  EXPECT_DOUBLE_EQ(entry.encode.count(), 1.35e-3);
  EXPECT_DOUBLE_EQ(entry.decode.count(), 8 * 1.35e-3);
  EXPECT_EQ(entry.spread->samples, 4);
  EXPECT_DOUBLE_EQ(entry.spread->encode_low.count(), 1.2e-3);
  EXPECT_DOUBLE_EQ(entry.spread->encode_high.count(), 1.5e-3);
  EXPECT_DOUBLE_EQ(entry.spread->decode_low.count(), 8 * 1.2e-3);
  EXPECT_DOUBLE_EQ(entry.spread->decode_high.count(), 8 * 1.5e-3);
}

TEST(MeasuredProfile, IsOfDevicesWhoseNameHoldsThisOne) {
  const CostProfile profile = profile_of({{"fp16"}, {Elements{4}}, {}, {}}, 1);
  EXPECT_TRUE(profile.matches("Made-up 1"));
  EXPECT_TRUE(profile.matches("MADE-UP 1 (80 GB)"));
  EXPECT_FALSE(profile.matches("Made-up 2"));
  EXPECT_FALSE(profile.matches("Made-up 10"));
  EXPECT_FALSE(profile.matches(""));
}

// Four elements, and a model of a 2 x 2 matrix and 2 elements. The median of the script's factors
// 1.2, 1.3 and 1.4 times 1 us an element, decoding for each of 8 ranks, or of 2 where their number
// does not matter: 4 x 1.3 = 5.2 us, 6 x 1.3 = 7.8 us; 8 x 5.2 = 41.6 us, 2 x 7.8 = 15.6 us.
TEST(MeasuredProfile, AsTextIsExactlyThis) {
  const CostProfile profile = profile_of(
      {{"signsgd", "powersgd:rank=1", "qsgd"}, {Elements{4}}, {{"mine", {{{2, 2}}, {{2}}}}}, {8}},
      3);
  std::ostringstream out;
  write_cost_profile(profile, out);
  EXPECT_EQ(out.str(), R"(# docs/formats/cost-profile.md
name: "scripted on Made-up 1"
device_patterns: "Made-up 1"
measuring {
  device_kind: GPU
  device: "Made-up 1"
  clocks: "1 MHz"
  software: "driver 1.2"
  implementation: "scripted"
  method: "times from a script; one rank, medians with the smallest and largest sample, collectives left out"
  date: "2026-12-02"
  left_out: "qsgd:bits=4,bucket=512: the scripted implementation does not have it"
}
entry {
  scheme: "signsgd"
  elements: 4
  tensors: 1
  ranks: 8
  encode_s: 5.2e-06
  decode_s: 4.16e-05
  standing: MEASURED
  date: "2026-12-02"
  source: "scripted on 2^2 elements, median of 3"
  spread {
    samples: 3
    encode_low_s: 4.8e-06
    encode_high_s: 5.6e-06
    decode_low_s: 3.84e-05
    decode_high_s: 4.48e-05
  }
}
entry {
  scheme: "signsgd"
  elements: 6
  tensors: 2
  ranks: 8
  encode_s: 7.8e-06
  decode_s: 6.24e-05
  standing: MEASURED
  date: "2026-12-02"
  source: "scripted on mine, median of 3"
  spread {
    samples: 3
    encode_low_s: 7.2e-06
    encode_high_s: 8.4e-06
    decode_low_s: 5.76e-05
    decode_high_s: 6.72e-05
  }
}
entry {
  scheme: "powersgd:min_compression_rate=0,rank=1"
  elements: 6
  tensors: 2
  encode_s: 7.8e-06
  decode_s: 1.56e-05
  standing: MEASURED
  date: "2026-12-02"
  source: "scripted on mine, median of 3"
  spread {
    samples: 3
    encode_low_s: 7.2e-06
    encode_high_s: 8.4e-06
    decode_low_s: 1.44e-05
    decode_high_s: 1.68e-05
  }
}
)");
  EXPECT_EQ(parse_cost_profile(out.str(), "m.txtpb"), profile);
}

}  // namespace
}  // namespace gradwire
