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

}  // namespace
}  // namespace gradwire
