#pragma once

#include <optional>
#include <string>

#include "base/units.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// Where the time of the rank that ends last goes. The parts sum to the whole.
struct Breakdown {
  Seconds compute{0};            ///< backward kernels, undisturbed
  Seconds overlap_slowdown{0};   ///< device work made slower by communication beside it
  Seconds exposed_bandwidth{0};  ///< the device waits for bytes
  Seconds exposed_latency{0};    ///< the device waits for latencies
  Seconds waiting{0};            ///< the device waits for other ranks
  Seconds encode{0};             ///< undisturbed
  Seconds decode{0};             ///< undisturbed
  Seconds host{0};               ///< the device waits for its host thread, which runs hooks

  Seconds exposed() const { return exposed_bandwidth + exposed_latency; }
  Seconds total() const {
    return compute + overlap_slowdown + encode + decode + host + exposed() + waiting;
  }
};

/// What the network has to do, hidden or not.
struct NetworkUse {
  int collectives = 0;
  Seconds busy{0};     ///< in collectives that all ranks have reached
  Seconds stalled{0};  ///< of that while a link that they needed was down
};

/// An estimator's answer to a scenario.
struct IterationResult {
  std::string estimator;     ///< "simgrid", "recurrence", "formula"
  Seconds backward_sync{0};  ///< the study's quantity: backward pass plus synchronisation
  std::optional<Seconds>
      iteration;        ///< with forward and optimiser; absent when the trace does not tell
  Breakdown breakdown;  ///< of backward_sync
  NetworkUse network;
  Timeline timeline;  ///< empty for the formula
};

/// The breakdown of `rank` of `timeline`; its parts sum to the rank's end. Requires that the
/// timeline holds the rank.
Breakdown breakdown_of(const Timeline& timeline, int rank);

/// What `rank` of `timeline` exchanges.
NetworkUse network_use_of(const Timeline& timeline, int rank);

}  // namespace gradwire
