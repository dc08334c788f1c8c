#pragma once

#include <cstdint>
#include <vector>

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// Fills Trace::gradients from the AccumulateGrad operators, or from the program's marks, which
/// come behind what their thread launched. A gradient is ready on the device at the end of the
/// kernel that its AccumulateGrad launched (gradients zeroed, not None), or, when that launched
/// nothing (it took the buffer over), at the end of the last kernel launched earlier on the same
/// thread in the same iteration. Gradients of an iteration come in ready order; ties keep the order
/// of AccumulateGrad. `launch_of` goes with Trace::kernels.
void find_gradients(const ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                    Trace& trace, ImportReport& report);

}  // namespace gradwire
