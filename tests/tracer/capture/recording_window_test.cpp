#include "tracer/capture/recording_window.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

TEST(RecordingWindow, WithoutOptionsEverythingIsKept) {
  RecordingWindow window(-1, -1);
  EXPECT_TRUE(window.keeps(5));
  window.begin_iteration(100);
  EXPECT_TRUE(window.keeps(5));
  for (int i = 0; i < 1000; ++i) window.begin_iteration(200);
  EXPECT_FALSE(window.over());
}

TEST(RecordingWindow, ARunWithoutMarksIsKept) { EXPECT_TRUE(RecordingWindow(3, 5).keeps(5)); }

TEST(RecordingWindow, WhatEndedBeforeItsFirstIterationIsNotKept) {
  RecordingWindow window(2, 1);
  window.begin_iteration(100);
  window.begin_iteration(200);
  EXPECT_FALSE(window.keeps(250));
  window.begin_iteration(300);
  EXPECT_FALSE(window.keeps(299));
  EXPECT_TRUE(window.keeps(300));
}

// Iterations 3 and 4 are wanted; while 5 runs on the host, 4 may still run on the device.
TEST(RecordingWindow, ItIsOverAtTheSecondBeginAfterTheLastIteration) {
  RecordingWindow window(2, 2);
  for (int begun = 1; begun <= 5; ++begun) {
    window.begin_iteration(static_cast<std::uint64_t>(begun));
    EXPECT_FALSE(window.over()) << begun;
  }
  window.begin_iteration(6);
  EXPECT_TRUE(window.over());
}

}  // namespace
}  // namespace gradwire
