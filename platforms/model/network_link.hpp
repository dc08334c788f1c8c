#pragma once

#include "base/units.hpp"
#include "platforms/model/topology.hpp"

namespace gradwire {

/// A directed link of a network that is given link by link.
struct NetworkLink {
  LinkEnds ends;
  BitsPerSecond bandwidth;
  Seconds latency{0};  ///< what a message pays for crossing it

  bool operator==(const NetworkLink&) const = default;
};

}  // namespace gradwire
