#pragma once

#include <string>
#include <vector>

#include "compressors/cost/cost_profile.hpp"
#include "compressors/measure/measured_device.hpp"
#include "compressors/measure/measurement_run.hpp"

namespace gradwire {

/// The profile of what was measured on `machine` with `implementation`: an entry a piece, each the
/// median of its samples with their smallest and largest. It is of devices whose name holds this
/// one's. `date`: "2026-12-02".
CostProfile measured_profile(const MeasuredMachine& machine,
                             const MeasuredImplementation& implementation,
                             const MeasurementOutcome& outcome, const std::string& date);

}  // namespace gradwire
