#include "base/tied_fork.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace gradwire {

pid_t tied_fork() {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  // The parent may be gone already.
  if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) _exit(1);
  return child;
}

}  // namespace gradwire
