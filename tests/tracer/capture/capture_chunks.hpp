#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "traces/schema/capture.pb.h"

namespace gradwire::test {

/// The chunk of one frame; a failed expectation when the frame or the message is not whole.
schema::CaptureChunk chunk_of(std::string_view frame);

/// All chunks of a .gwc file, each whole; and failed expectations where they are not.
std::vector<schema::CaptureChunk> chunks_of_file(const std::filesystem::path& path);

/// The one file of a folder whose name ends in .gwc.
std::filesystem::path only_capture(const std::filesystem::path& folder);

/// All chunks as one: records in a row, the last tally; times count from 0 (base added).
schema::CaptureChunk whole_capture(const std::filesystem::path& path);

}  // namespace gradwire::test
