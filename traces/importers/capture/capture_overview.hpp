#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// What a capture file (.gwc) says of its process without anything being linked: enough to tell
/// whether it holds a trace, and if not, why.
struct CaptureOverview {
  std::int64_t process = 0;
  std::string host;
  std::string command;
  std::optional<std::int32_t> rank;
  std::vector<Fact> facts;  ///< of the header and of the program, in order; names may repeat

  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  ///< memcpy and memset
  std::uint64_t marks = 0;   ///< our own marks of any kind; NVTX does not count

  /// Host times from one iteration's begin mark to the next one's on the same thread, in the order
  /// of the file.
  std::vector<Nanoseconds> iterations;
  std::uint64_t iteration_begins = 0;

  std::uint64_t dropped = 0;    ///< records and events, by the profiler and by the tracer
  std::uint64_t overheads = 0;  ///< what the profiler reports of its own cost: spans and their sum
  Nanoseconds overhead{0};

  bool closed = false;  ///< the session ended in order
};

/// Reads the file chunk by chunk, holding one at a time. Throws as `read_capture`.
CaptureOverview read_capture_overview(const std::filesystem::path& path);

}  // namespace gradwire
