#include "base/framed_chunk.hpp"

#include "base/crc32c.hpp"
#include "base/errors.hpp"

namespace gradwire {

void append_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<char>((value >> shift) & 0xFFU));
  }
}

std::uint32_t read_u32(std::string_view bytes) {
  GW_CHECK(bytes.size() >= 4, "an integer of four bytes needs four");
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8U * i);
  }
  return value;
}

void append_framed_chunk(std::string& out, std::string_view payload) {
  append_u32(out, static_cast<std::uint32_t>(payload.size()));
  append_u32(out, crc32c(payload));
  out += payload;
}

FramedChunk framed_chunk_at(std::string_view bytes, std::size_t at) {
  FramedChunk chunk;
  const std::size_t left = bytes.size() - at;
  if (left < FramedChunk::kFrameSize) return chunk;
  chunk.length = read_u32(bytes.substr(at));
  if (chunk.length > left - FramedChunk::kFrameSize) return chunk;
  chunk.payload = bytes.substr(at + FramedChunk::kFrameSize, chunk.length);
  const bool fits = read_u32(bytes.substr(at + 4)) == crc32c(chunk.payload);
  chunk.state = fits ? ChunkState::kWhole : ChunkState::kDamaged;
  return chunk;
}

}  // namespace gradwire
