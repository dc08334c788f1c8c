#pragma once

#include <string>
#include <vector>

#include "simulator/engine/simgrid/simgrid_engine.hpp"
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
  double compute_low = 1.0;        ///< the backward pass takes so many times as long
  double compute_high = 1.0;
};

/// The overlap slow-down of `device` (a name as traces give it; empty when unknown), the latency
/// between nodes of `cluster`, and the compute time of `workload`.
Assumptions make_assumptions(const Workload& workload, const std::string& device,
                             const Cluster& cluster);

/// The same for `changed`, which what-ifs made of `asked`: an overlap slow-down that they set is
/// sure, as the latency is.
Assumptions assumptions_of_changed(const Scenario& asked, const Scenario& changed,
                                   const std::string& device);

/// Backward plus synchronisation of one scenario by the recurrence engine, or where links are
/// shared by SimGrid's: at its own assumptions, and at every corner of their bands, in one fixed
/// order.
struct CornerTimes {
  Seconds here{0};
  std::vector<Seconds> corners;
};

CornerTimes corner_times(const Scenario& scenario, const Assumptions& assumptions,
                         const SimgridSettings& simgrid = {});

/// The extremes of an answer while the assumptions move inside their bands. Not an error against
/// measurement.
struct AnswerBand {
  Seconds low{0};
  Seconds high{0};
};

AnswerBand band_of(const CornerTimes& times);

}  // namespace gradwire
