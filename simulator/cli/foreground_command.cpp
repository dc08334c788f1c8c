#include "simulator/cli/foreground_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr int kNotFound = 127;  // as shells have it
constexpr int kNotExecutable = 126;
constexpr int kSignalBase = 128;

sigset_t signals(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// In the child: becomes the command, or tells through `pipe` why not.
[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& environment,
                         const sigset_t& mask, int pipe) {
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(words.front(), words.data(), environment.data());
  const int reason = errno;
  while (write(pipe, &reason, sizeof reason) < 0 && errno == EINTR) {
  }
  _exit(kNotFound);
}

/// The errno of a failed exec; 0 when the command is running.
int reason_not_started(int pipe) {
  int reason = 0;
  ssize_t got = 0;
  do {
    got = read(pipe, &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  close(pipe);
  return got == static_cast<ssize_t>(sizeof reason) ? reason : 0;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Waits for the child's end, passing signals on.
int attend(pid_t child, const sigset_t& watched, bool& interrupted) {
  int status = 0;
  for (;;) {
    siginfo_t told{};
    const int signal = sigwaitinfo(&watched, &told);
    if (signal == SIGCHLD) {
      if (waitpid(child, &status, WNOHANG) == child) return status;
    } else if (signal > 0) {
      interrupted = true;
      // What the terminal sends goes to the whole process group, the command included.
      if (told.si_code != SI_KERNEL) kill(child, signal);
    }
  }
}

/// One sentence, and the status that a shell would give.
int refuse_command(const std::string& program, int reason) {
  if (reason == ENOENT) {
    spdlog::error("{}: command not found", program);
    return kNotFound;
  }
  spdlog::error("{}: cannot be executed: {}", program, std::strerror(reason));
  return kNotExecutable;
}

}  // namespace

CommandEnd run_in_foreground(const std::vector<std::string>& words,
                             const std::vector<std::string>& environment) {
  const sigset_t watched = signals({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD});
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &watched, &mask);
  std::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the status away from us
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) {
    throw EnvironmentError(fmt::format("a pipe cannot be made: {}", std::strerror(errno)));
  }
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> variables = pointers(environment);
  std::fflush(nullptr);
  const auto started = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) become(arguments, variables, mask, pipe[1]);
  const int fork_reason = errno;
  close(pipe[1]);
  if (child < 0) {
    close(pipe[0]);
    throw EnvironmentError(fmt::format("no process can be made: {}", std::strerror(fork_reason)));
  }
  CommandEnd end;
  if (const int reason = reason_not_started(pipe[0]); reason != 0) {
    wait_for(child);
    end.started = false;
    end.status = refuse_command(words.front(), reason);
  } else {
    const int status = attend(child, watched, end.interrupted);
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = end.signal != 0 ? kSignalBase + end.signal : WEXITSTATUS(status);
  }
  end.time = std::chrono::steady_clock::now() - started;
  const sigset_t quit = signals({SIGQUIT});
  sigprocmask(SIG_UNBLOCK, &quit, nullptr);
  return end;
}

int pending_interrupt() {
  const sigset_t watched = signals({SIGINT, SIGTERM, SIGHUP});
  const timespec now{0, 0};
  const int signal = sigtimedwait(&watched, nullptr, &now);
  return signal > 0 ? signal : 0;
}

}  // namespace gradwire
