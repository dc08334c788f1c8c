#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// One part of a breakdown as reports name it.
struct BreakdownPart {
  const char* name;  ///< for people: "network, bytes"
  const char* key;   ///< for programs, without unit: "exposed_bandwidth"
  Seconds time{0};
  bool always_shown = true;  ///< also at 0; the parts of compression alone are not
};

/// All parts, in the order in which they are shown.
std::vector<BreakdownPart> parts_of(const Breakdown& breakdown);

/// `time` in the unit that suits `total`, so that a column of parts compares by eye.
std::string format_part(Seconds time, Seconds total);

/// The shares of `parts` in their sum, "58.3 %", which sum to 100.0 %; "-" where that is nothing.
std::vector<std::string> format_shares(const std::vector<BreakdownPart>& parts);

/// A line a part, "compute 61.0 ms 58.3 %", aligned; what the rounding of the shares leaves over
/// goes to the largest remainders, so that the shares shown sum to 100.0 %. An iteration of no
/// length has no shares.
std::string breakdown_text(const Breakdown& breakdown);

/// `parts` as whole numbers that sum to `total`, each less than 1 away from its exact share
/// (largest remainder; ties to the earlier part). Negative parts count as zero; empty when nothing
/// is above zero.
std::vector<std::int64_t> round_shares(const std::vector<double>& parts, std::int64_t total);

}  // namespace gradwire
