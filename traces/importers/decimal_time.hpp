#pragma once

#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace gradwire {

/// Reads decimal microseconds ("1623212760127829", "4458676522690.655", "1.5e3") as whole
/// nanoseconds, without passing through a double (which would keep 0.25 us of an epoch time).
/// Digits below a nanosecond are rounded half up. Absent for anything that is not a finite number
/// ("NaN", "N/A", "") or does not fit.
std::optional<Nanoseconds> parse_microseconds(std::string_view text);

/// Reads a whole number with an optional sign. Absent when it is none or does not fit int64.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace gradwire
