#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// A line a part, "compute 61.0 ms 58.3 %", aligned; what the rounding of the shares leaves over
/// goes to the largest remainders, so that the shares shown sum to 100.0 %. An iteration of no
/// length has no shares.
std::string breakdown_text(const Breakdown& breakdown);

/// `parts` as whole numbers that sum to `total`, each less than 1 away from its exact share
/// (largest remainder; ties to the earlier part). Negative parts count as zero; empty when nothing
/// is above zero.
std::vector<std::int64_t> round_shares(const std::vector<double>& parts, std::int64_t total);

}  // namespace gradwire
