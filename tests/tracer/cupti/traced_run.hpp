#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/marks/capture_contents.hpp"
#include "tests/tracer/marks/run_program.hpp"

namespace gradwire::test {

/// fake_training under the tracer's real library and the fake driver; CUPTI is the fake unless
/// `variables` say otherwise. `launcher` is what stands before
/// the program's name on the command line.
class TracedRun {
 public:
  explicit TracedRun(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& variables = {},
                     const std::vector<std::string>& launcher = {}) {
    std::vector<std::string> command = {"/usr/bin/env",
                                        std::string("LD_LIBRARY_PATH=") + GRADWIRE_FAKES_FOLDER};
    command.insert(command.end(), launcher.begin(), launcher.end());
    command.emplace_back(GRADWIRE_FAKE_TRAINING);
    command.insert(command.end(), arguments.begin(), arguments.end());
    std::vector<std::string> all = variables;
    all.push_back(std::string("CUDA_INJECTION64_PATH=") + GRADWIRE_TRACER_LIBRARY);
    all.emplace_back("ASAN_OPTIONS=detect_leaks=0");  // what the tracer keeps for ever is no leak
    all.push_back("GRADWIRE_CAPTURE=" + (folder_ / "run").string());
    end = run_program(command, all);
  }

  std::vector<std::filesystem::path> files() const { return captures_in(folder_.path()); }
  CaptureContents capture() const { return read_only_capture(folder_.path()); }

  ProgramEnd end;

 private:
  TemporaryFolder folder_;
};

}  // namespace gradwire::test
