#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

#include "base/tied_fork.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/capture/capture_chunks.hpp"
#include "tests/tracer/capture/fake_activity_source.hpp"

namespace gradwire::test {

inline void sleep_ms(int milliseconds) { usleep(static_cast<useconds_t>(milliseconds) * 1000); }

inline std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

inline FakeRecord kernel(const char* name, std::uint64_t start_ns, std::uint32_t device = 0) {
  FakeRecord record;
  record.operation.name = name;
  record.operation.start_ns = start_ns;
  record.operation.end_ns = start_ns + 10;
  record.operation.device = device;
  return record;
}

/// A process has one session, so each case runs in a child process.
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

  schema::CaptureChunk capture() { return whole_capture(only_capture(folder_.path())); }

  std::string errors() {
    std::ifstream file(folder_ / "stderr");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
};

}  // namespace gradwire::test
