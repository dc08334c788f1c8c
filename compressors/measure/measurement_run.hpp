#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "compressors/measure/measured_device.hpp"
#include "compressors/measure/measurement_plan.hpp"

namespace gradwire {

struct MeasurementSettings {
  int samples = 10;       ///< of a piece, behind its warm-up
  Seconds budget{120.0};  ///< of all pieces together
};

/// What a run is told, and tells, while it goes on.
struct MeasurementSurroundings {
  std::function<Seconds()> now;  ///< a clock that never goes back, from any beginning
  std::function<bool()> stop;    ///< asked between exchanges
  std::function<void(std::size_t done, std::size_t pieces)> progress;
};

struct MeasuredPiece {
  MeasurementPiece piece;
  std::vector<EncodeDecodeTime> samples;  ///< one or more
};

struct MeasurementOutcome {
  std::vector<MeasuredPiece> measured;
  std::vector<std::string> left_out;  ///< the plan's, and each piece that did not fit
  bool stopped = false;               ///< then the rest is neither measured nor left out
};

/// Measures the pieces of `plan` in their order. A piece starts when its memory is there and the
/// fewest samples that say anything (3) fit into what is left of the budget, as far as earlier
/// pieces of its scheme tell; it stops at its samples, or when its share of the budget (by
/// elements, of the pieces that are left) is used up. So a budget is kept but for one piece: the
/// first of a scheme, which nothing foretells.
MeasurementOutcome run_measurement(const MeasurementPlan& plan, const MeasurementSettings& settings,
                                   MeasuredDevice& device,
                                   const MeasurementSurroundings& surroundings);

}  // namespace gradwire
