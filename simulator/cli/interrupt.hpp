#pragma once

#include <stdexcept>
#include <string>

namespace gradwire {

/// The user (or the system) asked us to stop; the exit status is 128 plus the signal, as shells
/// have it.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal, const std::string& what) : std::runtime_error(what), signal_(signal) {}
  int exit_status() const { return 128 + signal_; }

 private:
  int signal_;
};

/// From here on SIGINT and SIGTERM are remembered instead of ending the process.
void watch_interrupts();

/// The signal that arrived since `watch_interrupts`, or 0.
int interrupt_signal();

}  // namespace gradwire
