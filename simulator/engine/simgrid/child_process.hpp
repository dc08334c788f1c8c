#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace gradwire {

/// A forked copy of this process that computes one string. SimGrid allows one simulation a process
/// and may abort it: here it can harm nobody else.
class ChildProcess {
 public:
  /// Starts `work` in the child. Throws EnvironmentError when the system refuses.
  explicit ChildProcess(const std::function<std::string()>& work);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;

  /// Waits for the child and returns its string. Rethrows what `work` threw (InputError,
  /// IncompleteError, EnvironmentError; anything else as BugError). Throws IncompleteError when the
  /// child was killed, or runs longer than `timeout_seconds`.
  std::string finish(int timeout_seconds = 600);

 private:
  void stop() noexcept;

  pid_t pid_ = -1;
  int pipe_ = -1;
};

}  // namespace gradwire
