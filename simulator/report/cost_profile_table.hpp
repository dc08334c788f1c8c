#pragma once

#include <vector>

#include "compressors/cost/cost_profile.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {

/// Figures of a measured profile: scheme, elements in tensors, ranks, encode, decode, samples,
/// their spread (largest less smallest of both halves, over the figure, in %) and the payload (4
/// bytes an element) over encode and decode, in GB/s.
TextTable measured_table(const std::vector<CostEntry>& entries);

/// Of each scheme and number of ranks the entry with the most elements, in their order.
std::vector<CostEntry> largest_of_each(const std::vector<CostEntry>& entries);

}  // namespace gradwire
