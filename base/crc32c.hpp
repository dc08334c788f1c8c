#pragma once

#include <cstdint>
#include <string_view>

namespace gradwire {

/// CRC-32C (Castagnoli) of `bytes`, as RFC 3720 section 12.1 defines it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace gradwire
