#include "simulator/cli/interrupt.hpp"

#include <csignal>

namespace gradwire {
namespace {

volatile std::sig_atomic_t arrived = 0;

void remember(int signal) { arrived = signal; }

}  // namespace

void watch_interrupts() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

int interrupt_signal() { return arrived; }

}  // namespace gradwire
