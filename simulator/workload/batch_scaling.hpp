#pragma once

#include <cstdint>
#include <string>

#include "base/units.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// From one batch to another, in samples a rank and iteration.
struct BatchChange {
  std::int64_t recorded = 1;  ///< the batch that the workload's times belong to
  std::int64_t wanted = 1;
  /// Share of the backward pass at the recorded batch that does not depend on the batch, 0 to 1.
  double fixed_share = 0.0;

  /// What every time of the backward pass is multiplied by.
  double factor() const;
};

/// `workload` at another batch: every time of its backward pass (ready times, span, busy time)
/// times fixed_share + (1 - fixed_share) * wanted / recorded. What lies outside the backward pass
/// becomes unknown, since waiting for data and the optimiser do not follow the batch that way. A
/// model, not a measurement (docs/model.md, "Batch size"): the standing becomes "derived", and
/// basis and warnings say what was scaled from what. The recorded batch itself changes no time.
/// Throws InputError for a batch below 1 or a share outside 0 to 1.
Workload scale_to_batch(Workload workload, const BatchChange& change);

/// `workload` with a backward pass of length `backward`: ready times keep their places relative to
/// each other and to its end. Standing, basis, warnings and what lies outside the backward pass as
/// for scale_to_batch. `source` says where the length comes from; empty for a user's word. Throws
/// InputError unless `backward` is above 0 and finite.
Workload with_backward_time(Workload workload, Seconds backward, const std::string& source);

}  // namespace gradwire
