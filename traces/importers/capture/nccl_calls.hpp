#pragma once

#include <vector>

#include "traces/importers/capture/nvtx_ranges.hpp"
#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// Puts what NCCL says of its calls (ranges of its domain, with the bytes of each) into
/// ProfileRecords::annotations, each around the launch that it led to: a call of its own around
/// itself, the calls of a group around the launches of its ncclGroupEnd, one for one in their
/// order, or all calls of one kind together where NCCL made one kernel of them.
void find_nccl_calls(const std::vector<NvtxRange>& ranges, ProfileRecords& records,
                     ImportReport& report);

}  // namespace gradwire
