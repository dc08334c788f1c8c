#pragma once

#include <optional>

#include "simulator/questions/break_even.hpp"
#include "simulator/study/assumption_band.hpp"

namespace gradwire {

/// How far `found`, an answer to `question`, moves with the assumptions, alike for both sides of
/// the comparison. Nothing where links are shared: every corner would be a search by simulation.
/// Throws as find_break_even.
std::optional<BreakEvenBand> break_even_band(const BreakEvenQuestion& question,
                                             const Assumptions& assumptions,
                                             const BreakEven& found);

}  // namespace gradwire
