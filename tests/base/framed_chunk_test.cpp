#include "base/framed_chunk.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

TEST(FramedChunk, ChunksInARowReadBackAsTheyWere) {
  std::string bytes;
  append_framed_chunk(bytes, "first");
  append_framed_chunk(bytes, "");
  append_framed_chunk(bytes, "third");
  const FramedChunk first = framed_chunk_at(bytes, 0);
  EXPECT_EQ(first.state, ChunkState::kWhole);
  EXPECT_EQ(first.payload, "first");
  const FramedChunk second = framed_chunk_at(bytes, first.framed_size());
  EXPECT_EQ(second.state, ChunkState::kWhole);
  EXPECT_EQ(second.payload, "");
  const std::size_t at = first.framed_size() + second.framed_size();
  EXPECT_EQ(framed_chunk_at(bytes, at).payload, "third");
  EXPECT_EQ(at + framed_chunk_at(bytes, at).framed_size(), bytes.size());
}

TEST(FramedChunk, EveryCutIsSeen) {
  std::string bytes;
  append_framed_chunk(bytes, "payload");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(framed_chunk_at(std::string_view{bytes}.substr(0, size), 0).state,
              ChunkState::kCutOff);
  }
}

TEST(FramedChunk, EveryFlippedBitOfChecksumOrPayloadIsSeen) {
  std::string bytes;
  append_framed_chunk(bytes, "payload");
  for (std::size_t bit = 4 * 8; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(framed_chunk_at(flipped, 0).state, ChunkState::kDamaged) << bit;
  }
}

TEST(FramedChunk, IntegersAreLittleEndian) {
  std::string bytes;
  append_u32(bytes, 0x01020304U);
  EXPECT_EQ(bytes, std::string("\x04\x03\x02\x01"));
  EXPECT_EQ(read_u32(bytes), 0x01020304U);
}

}  // namespace
}  // namespace gradwire
