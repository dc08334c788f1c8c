#include "compressors/measure/measurement_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compressors/measure/scripted_device.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MeasurementPlan plan_of(const MeasurementRequest& request, const test::ScriptedDevice& device) {
  return make_measurement_plan(request, device.implementations().front());
}

MeasurementOutcome outcome_of(test::ScriptedDevice& device, const MeasurementRequest& request,
                              const MeasurementSettings& settings) {
  return run_measurement(plan_of(request, device), settings, device, device.surroundings());
}

std::vector<std::string> texts_of(const MeasurementOutcome& outcome) {
  std::vector<std::string> texts;
  for (const MeasuredPiece& measured : outcome.measured) {
    texts.push_back(measured.piece.text() + ", " + std::to_string(measured.samples.size()));
  }
  return texts;
}

TEST(MeasurementRun, WarmsUpTwiceAndKeepsTheSamplesBehindIt) {
  test::ScriptedDevice device;
  const MeasurementOutcome outcome =
      outcome_of(device, {{"signsgd"}, {Elements{1000}}, {}, {8}}, {4, Seconds{1000}});
  ASSERT_EQ(outcome.measured.size(), 1U);
  // Exchanges 0 and 1 are the warm-up; 2 to 5 take 1.2 to 1.5 ms to encode.
  const std::vector<EncodeDecodeTime>& samples = outcome.measured.front().samples;
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_DOUBLE_EQ(samples.front().encode.count(), 1.2e-3);
  EXPECT_DOUBLE_EQ(samples.back().encode.count(), 1.5e-3);
  EXPECT_DOUBLE_EQ(samples.back().decode.count(), 8 * 1.5e-3);
  EXPECT_EQ(device.runs, 6);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_THAT(outcome.left_out, IsEmpty());
}

TEST(MeasurementRun, AsksTheDeviceForTwoRanksWhereTheirNumberDoesNotMatter) {
  test::ScriptedDevice device;
  outcome_of(device, {{"fp16", "signsgd"}, {Elements{10}}, {}, {8}}, {1, Seconds{1000}});
  ASSERT_EQ(device.made.size(), 2U);
  EXPECT_EQ(device.made[0].scheme, "fp16");
  EXPECT_EQ(device.made[0].ranks, 2);
  EXPECT_EQ(device.made[0].implementation, "scripted");
  EXPECT_EQ(device.made[1].ranks, 8);
}

// fp16 is played with 2 ranks: 3 us an element. 2^10 elements: two exchanges of warm-up, 3.072 and
// 3.3792 ms, 3 samples of 3.6864, 3.9936 and 4.3008 ms, 18.432 ms in all. The shares of a budget of
// 60 ms are 20 ms of the first size and 40 ms (then 41.6) of the second.
TEST(MeasurementRun, StopsSamplingWhereItsShareOfTheBudgetEnds) {
  test::ScriptedDevice device;
  const MeasurementOutcome outcome = outcome_of(
      device, {{"fp16"}, {Elements{1024}, Elements{2048}}, {}, {}}, {10, Seconds{60e-3}});
  // A fourth sample of the first begins at 18.4 ms; the fifth would begin at 23.04 ms. What is
  // left, 36.96 ms, is just the second's prediction: 5 runs of 2 x 23.04 / 6 = 7.68 ms are 38.4 ms.
  EXPECT_THAT(texts_of(outcome), ElementsAre("fp16 on 2^10 elements, 4"));
  EXPECT_THAT(outcome.left_out,
              ElementsAre("fp16 on 2^11 elements: would take about 38.4 ms; 36.96 "
                          "ms of the budget are left"));
}

TEST(MeasurementRun, TakesAtLeastThreeSamplesOfAPieceThatStarted) {
  test::ScriptedDevice device;
  const MeasurementOutcome outcome =
      outcome_of(device, {{"fp16"}, {Elements{1 << 20}}, {}, {}}, {10, Seconds{1e-3}});
  EXPECT_THAT(texts_of(outcome), ElementsAre("fp16 on 2^20 elements, 3"));
}

TEST(MeasurementRun, LeavesOutWhatComesWhenTheBudgetIsUsedUp) {
  test::ScriptedDevice device;
  const MeasurementOutcome outcome =
      outcome_of(device, {{"fp16", "signsgd"}, {Elements{1 << 20}}, {}, {2}}, {10, Seconds{1e-3}});
  EXPECT_EQ(outcome.measured.size(), 1U);
  EXPECT_THAT(outcome.left_out,
              ElementsAre("signsgd on 2^20 elements with 2 ranks: the budget is used up"));
}

// A piece of signsgd with 2 ranks on 2^10 elements takes 3.072 ms, 10 samples and the warm-up
// 57.14 ms, 4.762 ms a run. Nothing is known of 96 ranks yet but that: the first piece with 96 is
// let in; on 2^11 elements the piece with 96 is foretold by the one with 96 and not by 2 ranks.
TEST(MeasurementRun, ForetellsAPieceByTheLastOfItsSchemeWithTheSameRanks) {
  test::ScriptedDevice device;
  const MeasurementOutcome outcome = outcome_of(
      device, {{"signsgd"}, {Elements{1024}, Elements{2048}}, {}, {2, 96}}, {3, Seconds{1.25}});
  EXPECT_THAT(texts_of(outcome), ElementsAre("signsgd on 2^10 elements with 2 ranks, 3",
                                             "signsgd on 2^10 elements with 96 ranks, 3",
                                             "signsgd on 2^11 elements with 2 ranks, 3"));
  // 5 runs on 2^10 elements take 6 times 1.024 ms a rank and 1: 18.432 and 595.968 ms; so 2^11 with
  // 96 ranks takes 1.192 s, and 1.25 s - (18.432 + 595.968 + 36.864) ms are left.
  EXPECT_THAT(outcome.left_out,
              ElementsAre("signsgd on 2^11 elements with 96 ranks: would take about 1.192 s; 598.7 "
                          "ms of the budget are left"));
}

TEST(MeasurementRun, LeavesOutWhatWouldTakeMoreThanThreeQuartersOfTheFreeMemory) {
  test::ScriptedDevice device;
  device.free = Bytes{16'384};  // of which 12,288 are used: 1024 elements of 4 bytes for 3 ranks
  const MeasurementOutcome outcome =
      outcome_of(device, {{"signsgd"}, {Elements{1024}}, {}, {3, 4}}, {1, Seconds{1000}});
  EXPECT_THAT(texts_of(outcome), ElementsAre("signsgd on 2^10 elements with 3 ranks, 1"));
  EXPECT_THAT(outcome.left_out,
              ElementsAre(AllOf(HasSubstr("with 4 ranks: needs about 16.38 kB of memory"),
                                HasSubstr("75 %"))));
}

TEST(MeasurementRun, KeepsWhatThePlanLeftOut) {
  test::ScriptedDevice device;
  const MeasurementOutcome outcome =
      outcome_of(device, {{"fp16", "qsgd"}, {Elements{4}}, {}, {2}}, {1, Seconds{1000}});
  EXPECT_THAT(outcome.left_out, ElementsAre(HasSubstr("qsgd:bits=4,bucket=512: the scripted")));
}

TEST(MeasurementRun, ThatIsStoppedKeepsFinishedPiecesAlone) {
  test::ScriptedDevice device;
  device.stop_after = 7;  // 2 + 3 of the first piece, 2 of the second
  const MeasurementOutcome outcome = outcome_of(
      device, {{"fp16"}, {Elements{4}, Elements{8}, Elements{16}}, {}, {}}, {3, Seconds{1000}});
  EXPECT_TRUE(outcome.stopped);
  EXPECT_THAT(texts_of(outcome), ElementsAre("fp16 on 2^2 elements, 3"));
  EXPECT_EQ(device.runs, 7);
}

TEST(MeasurementRun, TellsHowFarItIs) {
  test::ScriptedDevice device;
  outcome_of(device, {{"fp16"}, {Elements{4}, Elements{8}}, {}, {}}, {1, Seconds{1000}});
  EXPECT_THAT(device.told, ElementsAre("0/2", "1/2", "2/2"));
}

}  // namespace
}  // namespace gradwire
