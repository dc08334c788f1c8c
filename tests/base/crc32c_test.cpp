#include "base/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gradwire {
namespace {

// RFC 3720 appendix B.4: the CRC bytes on the wire, read as a little-endian number.
TEST(Crc32c, IsThatOfRfc3720ForThirtyTwoZeroBytes) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
}

TEST(Crc32c, IsThatOfRfc3720ForThirtyTwoBytesOfOnes) {
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
}

TEST(Crc32c, IsThatOfRfc3720ForAscendingBytes) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(crc32c(bytes), 0x46DD794EU);
}

TEST(Crc32c, IsThatOfRfc3720ForDescendingBytes) {
  std::string bytes;
  for (int i = 31; i >= 0; --i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(crc32c(bytes), 0x113FDB5CU);
}

TEST(Crc32c, IsThatOfRfc3720ForAScsiReadCommand) {
  const unsigned char command[48] = {
      0x01, 0xC0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0,
      0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0,    0};
  EXPECT_EQ(crc32c({reinterpret_cast<const char*>(command), sizeof command}), 0xD9963A56U);
}

TEST(Crc32c, OfNothingIsZero) { EXPECT_EQ(crc32c(""), 0U); }

// The check value that CRC catalogues list for CRC-32C.
TEST(Crc32c, OfTheDigitsOneToNineIsTheCatalogueValue) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
}

/// By the definition: bit by bit.
std::uint32_t crc32c_bit_by_bit(std::string_view bytes) {
  std::uint32_t state = 0xFFFFFFFFU;
  for (const char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1U) ^ ((state & 1U) != 0U ? 0x82F63B78U : 0U);
    }
  }
  return ~state;
}

// Steps of eight bytes and the bytes behind the last one, at every alignment.
TEST(Crc32c, IsThatOfItsDefinitionForEveryLengthAndAlignment) {
  std::string bytes;
  for (unsigned i = 0; i < 64; ++i) bytes.push_back(static_cast<char>(i * 37 + 11));
  for (std::size_t begin = 0; begin < 8; ++begin) {
    for (std::size_t size = 0; begin + size <= bytes.size(); ++size) {
      const std::string_view part = std::string_view{bytes}.substr(begin, size);
      ASSERT_EQ(crc32c(part), crc32c_bit_by_bit(part)) << begin << " " << size;
    }
  }
}

}  // namespace
}  // namespace gradwire
