#pragma once

#include <string>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What an answer rests on without having been measured for it, each as a value inside a band.
struct Assumptions {
  double slowdown = 1.0;  ///< compute takes so many times as long while the rank communicates
  double slowdown_low = 1.0;
  double slowdown_high = 1.0;
  Seconds latency_low{0};  ///< of a message between nodes
  Seconds latency_high{0};
  std::vector<std::string> basis;  ///< one sentence each: value, standing, band
};

/// The overlap slow-down of `device` (a name as traces give it; empty when unknown) and the latency
/// between nodes of `cluster`.
Assumptions make_assumptions(const std::string& device, const Cluster& cluster);

/// Calls `visit(overlap_slowdown, nic_latency)` at every corner of the assumptions.
template <class Visit>
void for_each_corner(const Assumptions& assumptions, Visit visit) {
  for (const double slowdown : {assumptions.slowdown_low, assumptions.slowdown_high}) {
    for (const Seconds latency : {assumptions.latency_low, assumptions.latency_high}) {
      visit(slowdown, latency);
    }
  }
}

/// The extremes of an answer while the assumptions move inside their bands. Not an error against
/// measurement.
struct AnswerBand {
  Seconds low{0};
  Seconds high{0};
};

/// Backward plus synchronisation at `scenario` and at every corner of the assumptions, by the
/// recurrence engine.
AnswerBand assumption_band(const Scenario& scenario, const Assumptions& assumptions);

}  // namespace gradwire
