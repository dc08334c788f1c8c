#pragma once

#include <string>
#include <string_view>

#include "base/units.hpp"

namespace gradwire {

/// Quantities as text. A number without its unit is refused; k, M, G, T are powers of 10 and Ki,
/// Mi, Gi, Ti of 2. Every parser throws InputError: `what` names the option or field, the text says
/// what was found and what is accepted.

/// "25MiB", "100MB", "512B". Whole bytes, not negative.
Bytes parse_bytes(std::string_view text, std::string_view what);

/// "10Gbps", "10Gbit/s", "1.25GB/s", "1.25GiB/s". Greater than zero: 1 bps to 1e18 bps.
BitsPerSecond parse_bandwidth(std::string_view text, std::string_view what);

/// "20us", "3.5ms", "0s", "120ns". Not negative, at most 1e6 s.
Seconds parse_duration(std::string_view text, std::string_view what);

/// Three or four significant digits and the unit that keeps the number readable: "162.1 ms", "25.00
/// us".
std::string format_duration(Seconds time);

/// "10 Gbps", "937.5 Mbps".
std::string format_bandwidth(BitsPerSecond bandwidth);

/// Powers of ten: "102.2 MB", "512 B".
std::string format_bytes(Bytes bytes);

}  // namespace gradwire
