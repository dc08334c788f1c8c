#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// How a command ended.
struct CommandEnd {
  bool started = true;       ///< false: there is no such program, or it cannot be executed
  int status = 0;            ///< its exit status; 128 and the signal when one ended it
  int signal = 0;            ///< that ended it; 0 when none did
  bool interrupted = false;  ///< SIGINT, SIGTERM, SIGHUP or SIGQUIT came while it ran
  Seconds time{0};           ///< from start to end
};

/// Runs `words` (program and arguments; the program is looked for on PATH as a shell does) with
/// `environment` ("NAME=value") and our own standard streams, terminal and process group, and waits
/// for it. SIGINT, SIGTERM, SIGHUP and SIGQUIT that are sent to us are passed on; those of the
/// terminal reach the command by themselves. They stay blocked afterwards: see pending_interrupt.
/// A program that cannot be started ends with 127 when it is not found and 126 otherwise, and one
/// sentence on standard error. Throws EnvironmentError when the system starts no process.
CommandEnd run_in_foreground(const std::vector<std::string>& words,
                             const std::vector<std::string>& environment);

/// The SIGINT, SIGTERM or SIGHUP that came since the command ended, or 0; takes it.
int pending_interrupt();

}  // namespace gradwire
