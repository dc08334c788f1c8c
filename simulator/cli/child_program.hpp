#pragma once

#include <string>
#include <vector>

namespace gradwire {

/// What run_program gives when there is no such program, as shells have it.
inline constexpr int kProgramNotFound = 127;

/// Runs a program of PATH with its arguments, by no shell, and waits for it. Its exit status;
/// -1 when a signal ended it.
int run_program(std::vector<std::string> words);

}  // namespace gradwire
