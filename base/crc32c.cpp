#include "base/crc32c.hpp"

#include <array>

namespace gradwire {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78U;  // RFC 3720: 0x1EDC6F41, bits reversed

/// Table k: what a byte does to the state when k bytes of zero follow it.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1U) ^ ((value & 1U) != 0U ? kReversedPolynomial : 0U);
    }
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint32_t little_endian(const unsigned char* bytes) {
  return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8U |
         static_cast<std::uint32_t>(bytes[2]) << 16U | static_cast<std::uint32_t>(bytes[3]) << 24U;
}

}  // namespace

// Eight bytes a step ("slicing-by-8": Kounavis and Berry, 2005): their lookups do not wait for each
// other.
std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t state = 0xFFFFFFFFU;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t low = state ^ little_endian(at);
    const std::uint32_t high = little_endian(at + 4);
    state = kTables[7][low & 0xFFU] ^ kTables[6][(low >> 8U) & 0xFFU] ^
            kTables[5][(low >> 16U) & 0xFFU] ^ kTables[4][low >> 24U] ^ kTables[3][high & 0xFFU] ^
            kTables[2][(high >> 8U) & 0xFFU] ^ kTables[1][(high >> 16U) & 0xFFU] ^
            kTables[0][high >> 24U];
  }
  for (; left > 0; --left, ++at) state = (state >> 8U) ^ kTables[0][(state ^ *at) & 0xFFU];
  return ~state;
}

}  // namespace gradwire
