#pragma once

#include <string>
#include <vector>

#include "simulator/questions/break_even.hpp"

namespace gradwire {

/// A value of `unknown` with its unit: "9.246 Gbps", "45.10 ms", "4.21", "64 samples a rank", "64
/// workers", "2 times its speed".
std::string value_text(BreakEvenUnknown unknown, double value);

/// Where a goal holds, without naming the unknown: "below 9.246 Gbps", "between 3 Gbps and 9 Gbps",
/// "below 2 Gbps and above 6 Gbps", "up to 63 workers", "nowhere", "everywhere".
std::string place_text(BreakEvenUnknown unknown, const std::vector<BreakEvenInterval>& holds);

/// The answer as a sentence. `compressor` is its spelling (of no use where the goal is that of
/// uncompressed training), `baseline` "float32" or "fp16".
std::string break_even_sentence(const BreakEven& found, const std::string& compressor,
                                const std::string& baseline);

}  // namespace gradwire
