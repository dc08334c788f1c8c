#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "traces/importers/capture/capture_records.hpp"

namespace gradwire {

/// How the reading of a capture file ended.
struct CaptureEnd {
  bool closed = false;  ///< the closing chunk was there
  std::string loss;     ///< what was dropped at the end, one sentence; empty when nothing was
};

using CaptureVisitor = std::function<void(CapturedChunk&& chunk)>;

/// True when `head` (the first bytes of a file) begins as a capture file does.
bool is_capture(std::string_view head);

/// Reads a capture file (docs/formats/gwc.md) chunk by chunk, one in memory at a time, and hands
/// each to `visit`. A bad or short last chunk is dropped and said. Throws InputError naming the
/// file and the byte offset when it is no capture file, of another version, or damaged before its
/// last chunk.
CaptureEnd read_capture(const std::filesystem::path& path, const CaptureVisitor& visit);

/// `read_capture` on bytes; `name` stands where the file name would.
CaptureEnd decode_capture(const std::string& bytes, const std::string& name,
                          const CaptureVisitor& visit);

}  // namespace gradwire
