#include "tracer/capture/session.hpp"

#include <gmock/gmock.h>

#include "tests/tracer/capture/session_fixture.hpp"
#include "tracer/marks/gradwire_tracer.h"

namespace gradwire {
namespace {

using test::fake_source;
using test::FakeRecord;
using test::FakeRecordKind;
using test::kernel;
using test::now_ns;
using test::sleep_ms;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::StartsWith;

class SessionRecords : public test::SessionTest {};

TEST_F(SessionRecords, MarksAndKernelsOfAProcessThatExitsAreInItsFile) {
  const int status = in_child(
      [] {
        gw_fact("batch_size", "32");
        gw_mark(GW_ITERATION_BEGIN, 0);
        fake_source().deliver({kernel("add", 2000), kernel("mul", 1000)});  // out of order
      },
      {{"RANK", "3"}, {"WORLD_SIZE", "4"}});
  EXPECT_TRUE(ended_with_seven(status));
  const schema::CaptureChunk chunk = capture();
  EXPECT_THAT(test::only_capture(folder_.path()).filename().string(), HasSubstr(".3."));
  EXPECT_EQ(chunk.header().rank(), 3);
  EXPECT_EQ(chunk.header().world_size(), 4);
  EXPECT_EQ(chunk.header().facts(1).value(), "fake");
  EXPECT_THAT(chunk.header().command(), HasSubstr("tracer_capture_test"));
  ASSERT_EQ(chunk.events_size(), 2);
  EXPECT_EQ(chunk.events(0).payload(), "32");
  EXPECT_EQ(chunk.events(1).id(), unsigned{GW_ITERATION_BEGIN});
  ASSERT_EQ(chunk.operations_size(), 2);
  EXPECT_EQ(chunk.operations(1).start_ns(), 1000);
  EXPECT_EQ(chunk.names(static_cast<int>(chunk.operations(1).name())), "mul");
  EXPECT_EQ(chunk.devices(0).name(), "Fake GPU");
  EXPECT_EQ(chunk.tally().operations(), 2U);
  EXPECT_EQ(chunk.tally().events(), 2U);
  EXPECT_TRUE(chunk.closing());
  EXPECT_EQ(errors(), "");
}

TEST_F(SessionRecords, AParameterIsItsDtypeAZeroByteAndItsSizes) {
  in_child([] {
    const std::int64_t shape[] = {64, -1};
    gw_parameter(5, "conv1.weight", shape, 2, "float32");
    gw_parameter(6, "scalar", nullptr, 0, nullptr);
  });
  const schema::CaptureChunk chunk = capture();
  ASSERT_EQ(chunk.events_size(), 2);
  EXPECT_EQ(chunk.events(0).kind(), schema::HostEvent::PARAMETER);
  EXPECT_EQ(chunk.events(0).id(), 5U);
  EXPECT_EQ(chunk.events(0).text(), "conv1.weight");
  EXPECT_EQ(chunk.events(0).payload(),
            std::string("float32\0\x40\0\0\0\0\0\0\0", 16) + std::string(8, '\xff'));
  EXPECT_EQ(chunk.events(1).payload(), std::string(1, '\0'));
}

TEST_F(SessionRecords, WithoutAnEnvironmentThatAsksNothingHappens) {
  const int status = in_child([] {
    unsetenv("GRADWIRE_CAPTURE");
    gw_mark(GW_ITERATION_BEGIN, 0);
    driver_is_coming();
    if (gw_recording() != 0 || fake_source().starts != 0) _exit(1);
  });
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_EQ(folder_.entries(), 1U);  // stderr
  EXPECT_EQ(errors(), "");
}

// A launcher that forks its workers before any of them uses a device.
TEST_F(SessionRecords, AProfilerThatRefusesIsOneSentenceAndMarksAreRecorded) {
  const int status = in_child([] {
    fake_source().refusal = "kernels are not recorded: another tool holds the profiler";
    gw_mark(GW_ITERATION_BEGIN, 1);
  });
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_EQ(errors(), "gradwire: kernels are not recorded: another tool holds the profiler\n");
  const schema::CaptureChunk chunk = capture();
  EXPECT_EQ(chunk.events_size(), 1);
  EXPECT_THAT(
      chunk.header().facts(),
      Contains(AllOf(Property(&schema::CaptureFact::name, "kernels"),
                     Property(&schema::CaptureFact::value,
                              "kernels are not recorded: another tool holds the profiler"))));
}

TEST_F(SessionRecords, DropsUnknownRecordsAndLostRestsAreCounted) {
  in_child([] {
    gw_start(nullptr);
    FakeRecord unknown;
    unknown.kind = FakeRecordKind::kUnknown;
    FakeRecord lost;
    lost.kind = FakeRecordKind::kLostRest;
    fake_source().dropped = 5;
    fake_source().deliver({kernel("add", 1), unknown, lost, kernel("add", 2)});
  });
  const schema::CaptureChunk chunk = capture();
  EXPECT_EQ(chunk.operations_size(), 1);
  EXPECT_EQ(chunk.tally().dropped_records(), 5U);
  EXPECT_EQ(chunk.tally().unknown_records(), 1U);
  EXPECT_EQ(chunk.tally().lost_buffers(), 1U);
  EXPECT_EQ(chunk.tally().unreturned_buffers(), 0U);
}

TEST_F(SessionRecords, WhatTheProfilerDeliversWhileItStopsIsRecorded) {
  in_child([] {
    fake_source().at_stop = {kernel("late", 1000)};
    fake_source().keeps_a_buffer = true;
    gw_start(nullptr);
  });
  const schema::CaptureChunk chunk = capture();
  ASSERT_EQ(chunk.operations_size(), 1);
  EXPECT_EQ(chunk.names(0), "late");
  EXPECT_EQ(chunk.tally().unreturned_buffers(), 1U);
}

TEST_F(SessionRecords, UnderInjectionTheProfilerIsClaimedWhenTheDriverCalls) {
  const int status = in_child(
      [] {
        gw_mark(GW_FORWARD_BEGIN, 0);
        sleep_ms(2 * kFlushIntervalMs);
        if (fake_source().starts != 0) _exit(1);
        driver_is_coming();
        if (fake_source().starts != 1) _exit(2);
        driver_is_coming();
        if (fake_source().starts != 1) _exit(3);
      },
      {{"CUDA_INJECTION64_PATH", "us"}});
  EXPECT_TRUE(ended_with_seven(status));
  const schema::CaptureChunk chunk = capture();
  ASSERT_EQ(chunk.events_size(), 2);
  EXPECT_EQ(chunk.events(1).kind(), schema::HostEvent::FACT);  // the header was written before
  EXPECT_EQ(chunk.events(1).text(), "cupti");
}

TEST_F(SessionRecords, MarksAloneWhereKernelsAreNotWanted) {
  const int status = in_child(
      [] {
        driver_is_coming();
        gw_mark(GW_ITERATION_BEGIN, 0);
        if (fake_source().starts != 0) _exit(1);
      },
      {{"GRADWIRE_KERNELS", "0"}, {"CUDA_INJECTION64_PATH", "us"}});
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_EQ(capture().events_size(), 1);
}

TEST_F(SessionRecords, OtherDevicesThanTheOneAskedForAreLeftOut) {
  in_child(
      [] {
        gw_start(nullptr);
        fake_source().deliver({kernel("a", 1, 0), kernel("b", 2, 1), kernel("c", 3, 2)});
      },
      {{"GRADWIRE_DEVICE", "1"}});
  const schema::CaptureChunk chunk = capture();
  ASSERT_EQ(chunk.operations_size(), 1);
  EXPECT_EQ(chunk.operations(0).device(), 1U);
}

TEST_F(SessionRecords, ANumberThatIsNoneIsOneSentence) {
  in_child([] { gw_mark(GW_ITERATION_BEGIN, 0); }, {{"GRADWIRE_ITERATIONS", "ten"}});
  EXPECT_THAT(errors(), StartsWith("gradwire: GRADWIRE_ITERATIONS is \"ten\";"));
  EXPECT_FALSE(capture().header().has_keep_iterations());
}

// Of iterations 0 to 9 only 2 and 3 are wanted, whose device work is in when 5 begins.
TEST_F(SessionRecords, TheWindowLeavesOutWhatIsBeforeItAndEndsTheRecording) {
  const int status = in_child(
      [] {
        for (std::uint64_t i = 0; i < 10; ++i) {
          gw_mark(GW_ITERATION_BEGIN, i);
          if (gw_recording() != 0) fake_source().deliver({kernel("add", now_ns())});
          sleep_ms(kFlushIntervalMs);
        }
        if (gw_recording() != 0 || fake_source().stops != 1) _exit(1);
      },
      {{"GRADWIRE_SKIP", "2"}, {"GRADWIRE_ITERATIONS", "2"}});
  EXPECT_TRUE(ended_with_seven(status));
  const schema::CaptureChunk chunk = capture();
  EXPECT_TRUE(chunk.closing());
  std::map<std::uint64_t, std::int64_t> begin;
  for (const auto& event : chunk.events()) begin[event.value()] = event.time_ns();
  ASSERT_TRUE(begin.contains(2) && begin.contains(4) && begin.contains(5));
  EXPECT_FALSE(begin.contains(8));
  int inside = 0;
  for (const auto& operation : chunk.operations()) {
    EXPECT_GE(operation.start_ns() + operation.duration_ns(), begin[2]);
    inside += operation.start_ns() >= begin[2] && operation.start_ns() < begin[4];
  }
  EXPECT_EQ(inside, 2);
}

}  // namespace
}  // namespace gradwire
