#include "simulator/engine/simgrid/child_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "base/tied_fork.hpp"

namespace gradwire {
namespace {

// First byte of what the child sends.
constexpr char kResult = 'r';
constexpr char kInput = 'i';
constexpr char kIncomplete = 'n';
constexpr char kEnvironment = 'e';
constexpr char kBug = 'b';

std::string run_guarded(const std::function<std::string()>& work) {
  try {
    return kResult + work();
  } catch (const InputError& error) {
    return kInput + std::string{error.what()};
  } catch (const IncompleteError& error) {
    return kIncomplete + std::string{error.what()};
  } catch (const EnvironmentError& error) {
    return kEnvironment + std::string{error.what()};
  } catch (const std::exception& error) {
    return kBug + std::string{error.what()};
  } catch (...) {
    return std::string{kBug} + "something that is no std::exception was thrown";
  }
}

void write_all(int file, const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t written = write(file, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the parent is gone; nobody is left to tell
    at += static_cast<std::size_t>(written);
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    throw EnvironmentError(fmt::format("a simulation cannot be started: {}", std::strerror(errno)));
  }
  pid_ = tied_fork();
  if (pid_ < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw EnvironmentError(fmt::format("a simulation cannot be started: {}", std::strerror(error)));
  }
  if (pid_ == 0) {
    close(ends[0]);
    write_all(ends[1], run_guarded(work));
    _exit(0);  // without destructors: SimGrid's are not needed and not safe
  }
  close(ends[1]);
  pipe_ = ends[0];
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pipe_(std::exchange(other.pipe_, -1)) {}

ChildProcess::~ChildProcess() { stop(); }

void ChildProcess::stop() noexcept {
  if (pipe_ >= 0) close(std::exchange(pipe_, -1));
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
}

std::string ChildProcess::finish(int timeout_seconds) {
  GW_CHECK(pid_ > 0, "a child is finished once");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  std::string received;
  std::array<char, 65536> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting{pipe_, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      stop();
      throw IncompleteError(
          fmt::format("a simulation did not end within {} s and was stopped", timeout_seconds));
    }
    const ssize_t count = read(pipe_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    received.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(std::exchange(pipe_, -1));
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    throw IncompleteError(fmt::format("a simulation was ended by signal {} ({})", WTERMSIG(status),
                                      strsignal(WTERMSIG(status))));
  }
  if (received.empty()) throw IncompleteError("a simulation ended without an answer");
  std::string text = received.substr(1);
  switch (received[0]) {
    case kResult:
      return text;
    case kInput:
      throw InputError(text);
    case kIncomplete:
      throw IncompleteError(text);
    case kEnvironment:
      throw EnvironmentError(text);
    default:
      throw BugError(text);
  }
}

}  // namespace gradwire
