#include "tracer/capture/session.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "tests/tracer/capture/session_fixture.hpp"
#include "tracer/marks/gradwire_tracer.h"

namespace gradwire {
namespace {

using test::fake_source;
using test::FakeRecord;
using test::kernel;
using test::sleep_ms;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SessionEnd : public test::SessionTest {};

TEST_F(SessionEnd, WhatWasRecordedBeforeUnderscoreExitIsReadable) {
  in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    fake_source().deliver({kernel("add", 1000)});
    sleep_ms(5 * kFlushIntervalMs);
    _exit(0);
  });
  const schema::CaptureChunk chunk = capture();
  EXPECT_EQ(chunk.events_size(), 1);
  EXPECT_EQ(chunk.operations_size(), 1);
  EXPECT_FALSE(chunk.closing());
}

TEST_F(SessionEnd, WhatWasRecordedBeforeAKillIsReadable) {
  const int status = in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    sleep_ms(5 * kFlushIntervalMs);
    kill(getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(capture().events_size(), 1);
}

TEST_F(SessionEnd, AForkedChildWritesNothingAndItsParentGoesOn) {
  const int status = in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    const pid_t child = fork();
    if (child == 0) {
      gw_mark(GW_ITERATION_BEGIN, 2);
      const bool refused = gw_start(nullptr) == 0;  // the parent's profiler was on
      exit(gw_recording() == 0 && refused ? 0 : 1);
    }
    int child_status = 0;
    waitpid(child, &child_status, 0);
    if (child_status != 0) _exit(1);
    gw_mark(GW_ITERATION_BEGIN, 3);
  });
  EXPECT_TRUE(ended_with_seven(status));
  const schema::CaptureChunk chunk = capture();
  ASSERT_EQ(chunk.events_size(), 2);
  EXPECT_EQ(chunk.events(1).value(), 3U);
  EXPECT_TRUE(chunk.closing());
}

TEST_F(SessionEnd, AForkedChildThatUsesTheDriverFirstIsRecordedByItself) {
  in_child(
      [] {
        gw_mark(GW_ITERATION_BEGIN, 1);
        const pid_t child = fork();
        if (child == 0) {
          driver_is_coming();
          fake_source().deliver({kernel("add", 1000)});
          gw_mark(GW_ITERATION_BEGIN, 2);
          exit(0);
        }
        waitpid(child, nullptr, 0);
      },
      {{"CUDA_INJECTION64_PATH", "us"}});
  int kernels = 0;
  int events = 0;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".gwc") continue;
    const schema::CaptureChunk chunk = test::whole_capture(entry.path());
    EXPECT_TRUE(chunk.closing());
    kernels += chunk.operations_size();
    for (const auto& event : chunk.events()) events += event.kind() == schema::HostEvent::MARK;
    ++files;
  }
  EXPECT_EQ(files, 2);
  EXPECT_EQ(kernels, 1);
  EXPECT_EQ(events, 2);
}

TEST_F(SessionEnd, ExecEndsTheRecordingAndLosesOnlyWhatWasNotWritten) {
  const int status = in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    sleep_ms(5 * kFlushIntervalMs);
    execl("/bin/true", "true", nullptr);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(capture().events_size(), 1);
}

TEST_F(SessionEnd, AStoppedRecordingCanBeStartedAgainInAFileOfItsOwn) {
  const int status = in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    gw_stop();
    gw_mark(GW_ITERATION_BEGIN, 2);  // not recorded, and starts nothing
    if (gw_recording() != 0) _exit(1);
    if (gw_start(nullptr) != 1) _exit(2);
    gw_mark(GW_ITERATION_BEGIN, 3);
  });
  EXPECT_TRUE(ended_with_seven(status));
  int second_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".gwc") continue;
    const bool second = entry.path().string().ends_with(".2.gwc");
    second_files += second;
    const schema::CaptureChunk chunk = test::whole_capture(entry.path());
    ASSERT_EQ(chunk.events_size(), 1);
    EXPECT_EQ(chunk.events(0).value(), second ? 3U : 1U);
    EXPECT_TRUE(chunk.closing());
  }
  EXPECT_EQ(second_files, 1);
}

TEST_F(SessionEnd, AFolderThatDoesNotExistIsOneSentence) {
  const int status = in_child([this] {
    if (gw_start((folder_ / "no/run").c_str()) != 0) _exit(1);
  });
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_THAT(errors(), StartsWith("gradwire: this process is not recorded: "));
  EXPECT_THAT(errors(), HasSubstr("its folder does not exist"));
}

TEST_F(SessionEnd, AtTheLimitOfAFilesSizeTheRecordingEndsAndTheFileIsReadable) {
  const int status = in_child([] {
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    gw_start(nullptr);
    for (int i = 0; i < 8; ++i) {
      std::vector<FakeRecord> records;
      for (std::uint64_t k = 0; k < 5000; ++k) records.push_back(kernel("add", 1000 * k));
      if (gw_recording() != 0) fake_source().deliver(records);
      sleep_ms(kFlushIntervalMs + 50);
    }
    if (gw_recording() != 0) _exit(1);
  });
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_THAT(errors(), HasSubstr("the limit of a file's size is reached"));
  const std::string said = errors();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  const schema::CaptureChunk chunk = capture();
  EXPECT_GT(chunk.operations_size(), 0);
  EXPECT_FALSE(chunk.closing());
}

TEST_F(SessionEnd, ThreadsMayMarkWhileTheSessionEnds) {
  const int status = in_child([] {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&stop] {
        for (std::uint64_t k = 0; !stop; ++k) gw_mark(GW_GRADIENT_READY, k);
      });
    }
    sleep_ms(kFlushIntervalMs);
    gw_stop();
    stop = true;
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_TRUE(ended_with_seven(status));
  const schema::CaptureChunk chunk = capture();
  EXPECT_GT(chunk.events_size(), 0);
  EXPECT_EQ(chunk.tally().events(), static_cast<std::uint64_t>(chunk.events_size()));
  EXPECT_TRUE(chunk.closing());
}

}  // namespace
}  // namespace gradwire
