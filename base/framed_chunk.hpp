#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gradwire {

/// Chunks in a row, each {length u32, CRC-32C u32, payload}, integers little-endian: for files that
/// may be cut off and for pipes.
void append_framed_chunk(std::string& out, std::string_view payload);

void append_u32(std::string& out, std::uint32_t value);

/// The first four of `bytes`; fewer are a bug (GW_CHECK).
std::uint32_t read_u32(std::string_view bytes);

enum class ChunkState {
  kWhole,
  kCutOff,   ///< the bytes end before the chunk does
  kDamaged,  ///< whole, but the checksum is another
};

struct FramedChunk {
  ChunkState state = ChunkState::kCutOff;
  std::size_t length = 0;    ///< of the payload, as announced; 0 when even that is cut off
  std::string_view payload;  ///< empty unless whole or damaged

  std::size_t framed_size() const { return kFrameSize + length; }
  static constexpr std::size_t kFrameSize = 8;
};

/// The chunk that begins at `at`.
FramedChunk framed_chunk_at(std::string_view bytes, std::size_t at);

}  // namespace gradwire
