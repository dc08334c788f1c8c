#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/validation/error_summary.hpp"
#include "simulator/validation/play_claims.hpp"
#include "simulator/validation/validation_set.hpp"
#include "simulator/validation/verdict_score.hpp"

namespace gradwire {

/// What one model says of one case.
struct CaseAnswer {
  Seconds time{0};  ///< the time that the case scores
  /// Relative difference to the measured median, or to the closed form; of a recorded all-reduce
  /// the difference as a share of the backward pass.
  double raw = 0.0;
  double scored = 0.0;    ///< the same under the set's rule
  std::string refusal{};  ///< why the model does not play such a case; then there are no figures

  bool answered() const { return refusal.empty(); }
};

/// One line of a set's table.
struct CaseOutcome {
  std::string name;
  Measurement measured;             ///< of a random cell: the closed form's answer
  std::string failure;              ///< empty when the main model answered
  std::vector<CaseAnswer> answers;  ///< one for each of SetOutcome::models; empty after a failure
  std::string group{};              ///< cases of one are summed up together; empty for none
};

/// A set, played.
struct SetOutcome {
  ValidationSet set;
  std::vector<std::string> models;  ///< "formula", "recurrence", "simgrid", then "gloo", "baseline"
  std::size_t main = 0;             ///< the model that is held to the aim
  std::optional<double> baseline_efficiency;  ///< fitted on the set's own cases
  std::vector<CaseOutcome> cases;
  std::vector<ErrorSummary> summaries;  ///< one for each model, over the cases that it answered
  std::vector<std::size_t> answered;    ///< how many those are, one for each model
  std::vector<VerdictScore> verdicts;   ///< one for each model; empty without pairs
  std::vector<AimCheck> aim;            ///< of the main model
  std::vector<JudgedClaim> claims;      ///< of a set of claims, which has no cases

  std::size_t failures() const;
};

/// Plays every case by every model. A case that cannot be played (no such file, a model that
/// refuses) is told in its `failure`, the others go on. A set of claims has no cases: it is no
/// measurement and has no median; throws as `play_claims`.
SetOutcome play_set(const ValidationSet& set);

}  // namespace gradwire
