#pragma once

#include <vector>

#include "simulator/validation/validation_set.hpp"

namespace gradwire {

/// Of errors without their sign, as shares.
struct ErrorSummary {
  double median = 0.0;  ///< mean of the two in the middle when the count is even
  double p90 = 0.0;     ///< the smallest that at least 90 % of the errors do not exceed
  double worst = 0.0;
};

/// All zero without errors.
ErrorSummary summarize(std::vector<double> errors);

/// (answer - measured median) / measured median.
double raw_error(Seconds answer, const Measurement& measured);

/// What counts under `rule`, with its sign, as a share of the median.
double scored_error(Seconds answer, const Measurement& measured, ErrorRule rule);

/// What an aim asks of one figure, and what was reached.
struct AimCheck {
  const char* figure;  ///< "median", "p90", "worst", "balanced accuracy"
  double reached = 0.0;
  double wanted = 0.0;
  bool at_least = false;  ///< an accuracy; else an error, at most

  bool met() const { return at_least ? reached >= wanted : reached <= wanted; }
};

/// One for each figure that the aim names; where it has a baseline_share, the smaller of both
/// bounds is wanted.
std::vector<AimCheck> check_aim(const Aim& aim, const ErrorSummary& reached,
                                const ErrorSummary& baseline);

}  // namespace gradwire
