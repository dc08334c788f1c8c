#include "compressors/reference/signs.hpp"

namespace gradwire {

std::vector<std::uint32_t> packed_signs(std::span<const float> values) {
  std::vector<std::uint32_t> words((values.size() + 31) / 32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0.0F) words[i / 32] |= 1U << (i % 32);
  }
  return words;
}

}  // namespace gradwire
