#pragma once

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// Backward plus synchronisation by the quick recurrence, or by SimGrid where links are shared.
Seconds scenario_time(const Scenario& scenario);

}  // namespace gradwire
