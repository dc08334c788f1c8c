#include "tracer/capture/locks.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace gradwire {
namespace {

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  const int saved = errno;
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
  errno = saved;
}

}  // namespace

void Wakeup::notify() {
  if (notified_.exchange(1) == 0) futex(notified_, FUTEX_WAKE_PRIVATE, 1, nullptr);
}

bool Wakeup::wait(std::int64_t milliseconds) {
  if (notified_.exchange(0) == 1) return true;
  const timespec timeout{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  futex(notified_, FUTEX_WAIT_PRIVATE, 0, &timeout);
  return notified_.exchange(0) == 1;
}

}  // namespace gradwire
