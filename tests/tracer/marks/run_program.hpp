#pragma once

#include <string>
#include <vector>

namespace gradwire::test {

struct ProgramEnd {
  int status = -1;     ///< its exit status; 128 and the signal's number when a signal ended it
  std::string output;  ///< of stdout and stderr
};

/// Runs `command` (program and arguments) with the environment's GRADWIRE_*, CUDA_INJECTION64_PATH
/// and NVTX_INJECTION64_PATH taken out and `variables` ("NAME=value") put in.
ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::string>& variables = {});

}  // namespace gradwire::test
