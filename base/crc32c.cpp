#include "base/crc32c.hpp"

#include <array>

namespace gradwire {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78U;  // RFC 3720: 0x1EDC6F41, bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1U) ^ ((value & 1U) != 0U ? kReversedPolynomial : 0U);
    }
    table[byte] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t state = 0xFFFFFFFFU;
  for (const char c : bytes) {
    state = (state >> 8U) ^ kTable[(state ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~state;
}

}  // namespace gradwire
