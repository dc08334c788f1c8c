#pragma once

#include <sys/types.h>

namespace gradwire {

/// fork() for a child that must not outlive its parent: it is killed with it. Flushes stdio first,
/// or the child would print the parent's buffers again. As fork(): 0 in the child; below 0 with
/// errno set when the system refuses.
pid_t tied_fork();

}  // namespace gradwire
