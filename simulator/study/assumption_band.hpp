#pragma once

#include <string>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What an answer rests on without having been measured, each as a band.
struct Assumptions {
  double slowdown_low = 1.0;  ///< overlap slow-down
  double slowdown_high = 1.0;
  Seconds latency_low{0};  ///< of a message between nodes
  Seconds latency_high{0};
};

/// The extremes of an answer while the assumptions move inside their bands. Not an error against
/// measurement.
struct AnswerBand {
  Seconds low{0};
  Seconds high{0};
};

/// Backward plus synchronisation at every corner of the assumptions, by the recurrence engine.
AnswerBand assumption_band(const Scenario& scenario, const Assumptions& assumptions);

}  // namespace gradwire
