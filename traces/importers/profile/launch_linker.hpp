#pragma once

#include <cstdint>
#include <vector>

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// For each device record, the index of the call that launched it, or -1. Linked by correlation,
/// whatever the call's name; where one correlation belongs to several calls (another process, an id
/// used again), the process of the device and then the last call before the record decide. Sets
/// Kernel::launch. One call may own many records (CUDA graphs).
std::vector<std::int32_t> link_launches(ProfileRecords& records, ImportReport& report);

}  // namespace gradwire
