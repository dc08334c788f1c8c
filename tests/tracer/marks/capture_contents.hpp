#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/schema/capture.pb.h"

namespace gradwire::test {

/// What a capture file holds, put together from its chunks. Throws std::runtime_error when a chunk
/// is cut off or damaged.
struct CaptureContents {
  schema::CaptureHeader header;
  std::vector<schema::HostEvent> events;            ///< times from the clock's zero
  std::vector<std::string> names;                   ///< of kernels, by their index
  std::vector<schema::DeviceOperation> operations;  ///< and these: times from their chunk's
  std::vector<schema::HostCall> calls;
  std::vector<schema::CaptureSpan> spans;
  std::vector<schema::CaptureDevice> devices;
  schema::CaptureTally tally;
  bool closed = false;

  /// Those of one thread, in the order in which it made them.
  std::vector<schema::HostEvent> events_of(std::uint64_t thread) const;

  /// The number of the NVTX domain of that name; 0 without one.
  std::uint64_t domain(const std::string& name) const;

  /// The value of a fact of the header or of an event; empty without it.
  std::string fact(const std::string& name) const;

  /// NVTX events of a domain, in order of time.
  std::vector<schema::HostEvent> events_in(std::uint64_t domain) const;
};

/// Of a process that was killed the last chunk may be cut off: `cut_off` says that this is no
/// error.
CaptureContents read_capture(const std::filesystem::path& file, bool cut_off = false);

/// The capture files of a folder, by name.
std::vector<std::filesystem::path> captures_in(const std::filesystem::path& folder);

/// The only one; throws when there are none or several.
CaptureContents read_only_capture(const std::filesystem::path& folder);

/// Runs `command` in the environment that the launcher makes for `tracer`, and reads its one
/// capture. Its exit status must be 0.
CaptureContents capture_of(const std::string& tracer, const std::vector<std::string>& command,
                           const std::vector<std::string>& more_variables = {});

}  // namespace gradwire::test
