#include "tests/tracer/capture/capture_chunks.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/framed_chunk.hpp"
#include "tracer/capture/capture_output.hpp"

namespace gradwire::test {

schema::CaptureChunk chunk_of(std::string_view frame) {
  const FramedChunk framed = framed_chunk_at(frame, 0);
  EXPECT_EQ(framed.state, ChunkState::kWhole);
  EXPECT_EQ(framed.framed_size(), frame.size());
  schema::CaptureChunk chunk;
  EXPECT_TRUE(chunk.ParseFromArray(framed.payload.data(), static_cast<int>(framed.payload.size())));
  return chunk;
}

std::vector<schema::CaptureChunk> chunks_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  const std::string bytes = content.str();
  EXPECT_TRUE(bytes.starts_with(CaptureOutput::kMagic)) << path;
  std::vector<schema::CaptureChunk> chunks;
  for (std::size_t at = CaptureOutput::kMagic.size(); at < bytes.size();) {
    const FramedChunk framed = framed_chunk_at(bytes, at);
    EXPECT_EQ(framed.state, ChunkState::kWhole) << path << " at " << at;
    if (framed.state != ChunkState::kWhole) break;
    chunks.push_back(chunk_of(std::string_view{bytes}.substr(at, framed.framed_size())));
    at += framed.framed_size();
  }
  return chunks;
}

std::filesystem::path only_capture(const std::filesystem::path& folder) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gwc") continue;
    EXPECT_TRUE(found.empty()) << "two captures in " << folder;
    found = entry.path();
  }
  EXPECT_FALSE(found.empty()) << "no capture in " << folder;
  return found;
}

schema::CaptureChunk whole_capture(const std::filesystem::path& path) {
  schema::CaptureChunk whole;
  for (schema::CaptureChunk& chunk : chunks_of_file(path)) {
    const std::int64_t base = chunk.base_time_ns();
    for (auto& each : *chunk.mutable_operations()) {
      if (!each.untimed()) each.set_start_ns(each.start_ns() + base);
    }
    for (auto& each : *chunk.mutable_calls()) each.set_start_ns(each.start_ns() + base);
    for (auto& each : *chunk.mutable_events()) each.set_time_ns(each.time_ns() + base);
    for (auto& each : *chunk.mutable_spans()) each.set_start_ns(each.start_ns() + base);
    whole.MergeFrom(chunk);
  }
  return whole;
}

}  // namespace gradwire::test
