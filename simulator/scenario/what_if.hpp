#pragma once

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

// Questions of the form "what if": each takes a scenario to another and leaves all else as it is,
// so that they compose.

/// The backward pass takes 1/`factor` of its time, idle gaps included; the host launches as before,
/// at the latest when the device would wait for it. The rest of an iteration becomes unknown.
/// Encode and decode stay. Requires factor > 0.
Scenario with_faster_compute(Scenario scenario, double factor);

/// Encode and decode take 1/`divisor` of their time. Requires divisor > 0.
Scenario with_cheaper_encode(Scenario scenario, double divisor);

/// Every collective carries `factor` times the elements, rounded up. Requires factor > 0.
Scenario with_payload(Scenario scenario, double factor);

}  // namespace gradwire
