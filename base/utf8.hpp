#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gradwire {

/// Length of the UTF-8 sequence that starts at `at` (RFC 3629); 0 when the bytes there are none.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// `text` with each byte that is not part of a UTF-8 sequence replaced by '?'.
std::string repair_utf8(std::string_view text);

}  // namespace gradwire
