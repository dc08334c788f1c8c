#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/embedded_text.hpp"

namespace gradwire {

/// What the tracer's library is asked for, as `gradwire trace` takes it.
struct TracerRequest {
  std::optional<std::int64_t> iterations;
  std::optional<std::int64_t> skip;
  std::string device;  ///< an index or "all"; empty for the library's default
  bool pytorch = false;
  bool nvtx = false;
};

/// The Python files that a traced interpreter finds (tracer/python): gradwire_marks, and what hooks
/// PyTorch.
std::span<const EmbeddedText> python_hook_texts();

/// libgradwire_tracer.so: $GRADWIRE_TRACER_LIB, else beside the program, else in ../lib/gradwire
/// of it. Throws EnvironmentError naming the places when it is in none.
std::filesystem::path find_tracer_library();

/// Another tool's injection library in our own environment would be pushed out by ours. Throws
/// EnvironmentError naming the variable.
void refuse_other_injection(const std::filesystem::path& library);

/// A private folder beside `output` for one run of a command: the captures that its processes
/// write, and the Python files. It goes with this object, but for captures that are still in it.
class RunFolder {
 public:
  /// Throws EnvironmentError when it cannot be made.
  RunFolder(const std::filesystem::path& output, bool pytorch);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path prefix() const { return path_ / "capture"; }
  std::filesystem::path python() const { return path_ / "python"; }

  /// The capture files that are there now, by name.
  std::vector<std::filesystem::path> captures() const;

  /// Leaves everything where it is: a process that writes here is still running.
  void abandon() { abandoned_ = true; }

 private:
  std::filesystem::path path_;
  bool abandoned_ = false;
};

/// Our own environment, with what makes the processes of a command record themselves into `folder`;
/// variables of the library that are left over from elsewhere are taken out. `kernels` is false for
/// a run that records marks alone.
std::vector<std::string> tracer_environment(const TracerRequest& request, const RunFolder& folder,
                                            const std::filesystem::path& library, bool kernels);

}  // namespace gradwire
