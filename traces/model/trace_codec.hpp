#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// A trace read from a .gwt file and what was lost on the way, one sentence each.
struct DecodedTrace {
  Trace trace;
  std::vector<std::string> losses;
};

/// True when `head` (the first bytes of a file) begins as a .gwt file does.
bool is_gwt(std::string_view head);

/// Reads a .gwt file. A bad or short last chunk is dropped and said in `losses`. Throws InputError
/// naming the file and the byte offset when it is no .gwt file, of another version, damaged before
/// its last chunk, or not a valid Trace.
DecodedTrace read_trace(const std::filesystem::path& path);

/// Writes `trace` whole or not at all. Throws EnvironmentError when the path cannot be written.
void write_trace(const Trace& trace, const std::filesystem::path& path);

/// The bytes of the file that `write_trace` writes.
std::string encode_trace(const Trace& trace);

/// `read_trace` on bytes; `name` stands where the file name would.
DecodedTrace decode_trace(std::string_view bytes, const std::string& name);

}  // namespace gradwire
