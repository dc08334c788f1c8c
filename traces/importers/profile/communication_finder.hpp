#pragma once

#include <cstdint>
#include <vector>

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// Fills Trace::communications: one for each communication kernel, described by its own args, else
/// by the record_param_comms operator and the "nccl:..." annotation that it was launched inside of,
/// else by its name alone; and one for each record_param_comms operator with a collective but no
/// kernel. `launch_of` and `message_of` go with Trace::kernels.
void find_communications(const ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                         const std::vector<std::int32_t>& message_of, Trace& trace,
                         ImportReport& report);

}  // namespace gradwire
