#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gradwire {

/// `text` split at each `separator`; blanks, carriage returns and double quotes around a part go.
/// The parts point into `text`.
std::vector<std::string_view> split_fields(std::string_view text, char separator);

/// A shape such as "64x3x7x7": sizes above 0 whose product fits int64; "" is a scalar. Absent when
/// it is none.
std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text);

}  // namespace gradwire
