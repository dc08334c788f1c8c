#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/validation/error_summary.hpp"
#include "simulator/validation/validation_set.hpp"

namespace gradwire {

/// What one model says of one case.
struct CaseAnswer {
  Seconds time{0};  ///< the time that the case scores
  /// Relative difference to the measured median, or to the closed form; of a recorded all-reduce
  /// the difference as a share of the backward pass.
  double raw = 0.0;
  double scored = 0.0;  ///< the same under the set's rule
};

/// One line of a set's table.
struct CaseOutcome {
  std::string name;
  Measurement measured;             ///< of a random cell: the closed form's answer
  std::string failure;              ///< empty when every model answered
  std::vector<CaseAnswer> answers;  ///< one for each of SetOutcome::models; empty after a failure
};

/// A set, played.
struct SetOutcome {
  ValidationSet set;
  std::vector<std::string> models;  ///< "formula", "recurrence", "simgrid", then "gloo", "baseline"
  std::size_t main = 0;             ///< the model that is held to the aim
  std::optional<double> baseline_efficiency;  ///< fitted on the set's own cases
  std::vector<CaseOutcome> cases;
  std::vector<ErrorSummary> summaries;  ///< one for each model, over the cases that were played
  std::vector<AimCheck> aim;            ///< of the main model

  std::size_t failures() const;
};

/// Plays every case by every model. A case that cannot be played (no such file, a model that
/// refuses) is told in its `failure`, the others go on.
SetOutcome play_set(const ValidationSet& set);

}  // namespace gradwire
