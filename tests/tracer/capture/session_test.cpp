// A process has one session, so each case runs in a child process.
#include "tracer/capture/session.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "base/tied_fork.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/capture/capture_chunks.hpp"
#include "tests/tracer/capture/fake_activity_source.hpp"
#include "tracer/capture/host_events.hpp"
#include "tracer/marks/gradwire_tracer.h"

namespace gradwire {
namespace {

using test::fake_source;
using test::FakeRecord;
using test::FakeRecordKind;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void sleep_ms(int milliseconds) { usleep(static_cast<useconds_t>(milliseconds) * 1000); }

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

FakeRecord kernel(const char* name, std::uint64_t start_ns, std::uint32_t device = 0) {
  FakeRecord record;
  record.operation.name = name;
  record.operation.start_ns = start_ns;
  record.operation.end_ns = start_ns + 10;
  record.operation.device = device;
  return record;
}

class SessionTest : public ::testing::Test {
 protected:
  /// Runs `what` in a child whose environment asks for a capture, ends it by exit(7), and returns
  /// what waitpid says.
  int in_child(const std::function<void()>& what,
               const std::map<std::string, std::string>& environment = {}) {
    const std::string prefix = folder_ / "run";
    const pid_t child = tied_fork();
    if (child == 0) {
      const int errors = open((folder_ / "stderr").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(errors, STDERR_FILENO);
      for (const char* const name : {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        unsetenv(name);
      }
      unsetenv("CUDA_INJECTION64_PATH");
      setenv("GRADWIRE_CAPTURE", prefix.c_str(), 1);
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      what();
      exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  static bool ended_with_seven(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 7; }

  schema::CaptureChunk capture() { return test::whole_capture(test::only_capture(folder_.path())); }

  std::string errors() {
    std::ifstream file(folder_ / "stderr");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  test::TemporaryFolder folder_;
};

TEST_F(SessionTest, MarksAndKernelsOfAProcessThatExitsAreInItsFile) {
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

TEST_F(SessionTest, AParameterIsItsDtypeAZeroByteAndItsSizes) {
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

TEST_F(SessionTest, WithoutAnEnvironmentThatAsksNothingHappens) {
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

TEST_F(SessionTest, WhatWasRecordedBeforeUnderscoreExitIsReadable) {
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

TEST_F(SessionTest, WhatWasRecordedBeforeAKillIsReadable) {
  const int status = in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    sleep_ms(5 * kFlushIntervalMs);
    kill(getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(capture().events_size(), 1);
}

TEST_F(SessionTest, AForkedChildWritesNothingAndItsParentGoesOn) {
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

// A launcher that forks its workers before any of them uses a device.
TEST_F(SessionTest, AForkedChildThatUsesTheDriverFirstIsRecordedByItself) {
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

TEST_F(SessionTest, ExecEndsTheRecordingAndLosesOnlyWhatWasNotWritten) {
  const int status = in_child([] {
    gw_mark(GW_ITERATION_BEGIN, 1);
    sleep_ms(5 * kFlushIntervalMs);
    execl("/bin/true", "true", nullptr);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(capture().events_size(), 1);
}

TEST_F(SessionTest, AProfilerThatRefusesIsOneSentenceAndMarksAreRecorded) {
  const int status = in_child([] {
    fake_source().refusal = "kernels are not recorded: another tool holds the profiler";
    gw_mark(GW_ITERATION_BEGIN, 1);
  });
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_EQ(errors(), "gradwire: kernels are not recorded: another tool holds the profiler\n");
  EXPECT_EQ(capture().events_size(), 1);
}

TEST_F(SessionTest, DropsUnknownRecordsAndLostRestsAreCounted) {
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

TEST_F(SessionTest, WhatTheProfilerDeliversWhileItStopsIsRecorded) {
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

TEST_F(SessionTest, UnderInjectionTheProfilerIsClaimedWhenTheDriverCalls) {
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

TEST_F(SessionTest, MarksAloneWhereKernelsAreNotWanted) {
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

TEST_F(SessionTest, OtherDevicesThanTheOneAskedForAreLeftOut) {
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

TEST_F(SessionTest, ANumberThatIsNoneIsOneSentence) {
  in_child([] { gw_mark(GW_ITERATION_BEGIN, 0); }, {{"GRADWIRE_ITERATIONS", "ten"}});
  EXPECT_THAT(errors(), StartsWith("gradwire: GRADWIRE_ITERATIONS is \"ten\";"));
  EXPECT_FALSE(capture().header().has_keep_iterations());
}

// Of iterations 0 to 9 only 2 and 3 are wanted, whose device work is in when 5 begins.
TEST_F(SessionTest, TheWindowLeavesOutWhatIsBeforeItAndEndsTheRecording) {
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

TEST_F(SessionTest, AStoppedRecordingCanBeStartedAgainInAFileOfItsOwn) {
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

TEST_F(SessionTest, AFolderThatDoesNotExistIsOneSentence) {
  const int status = in_child([this] {
    if (gw_start((folder_ / "no/run").c_str()) != 0) _exit(1);
  });
  EXPECT_TRUE(ended_with_seven(status));
  EXPECT_THAT(errors(), StartsWith("gradwire: this process is not recorded: "));
  EXPECT_THAT(errors(), HasSubstr("its folder does not exist"));
}

TEST_F(SessionTest, AtTheLimitOfAFilesSizeTheRecordingEndsAndTheFileIsReadable) {
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

TEST_F(SessionTest, ThreadsMayMarkWhileTheSessionEnds) {
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
