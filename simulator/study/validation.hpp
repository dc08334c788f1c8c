#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// One measured run. Times are backward pass plus synchronisation.
struct ValidationCase {
  std::string name;
  Scenario scenario;
  Seconds measured{0};  ///< median of the samples
  Seconds low{0};       ///< smallest sample
  Seconds high{0};      ///< largest sample
};

/// Measured runs of one kind, and the error that is aimed at.
struct ValidationSet {
  std::string name;
  std::string description;
  std::string source;
  double aim_median = 0.0;  ///< relative error
  double aim_p90 = 0.0;
  std::string cause;               ///< the most likely reason where the aim is missed
  std::vector<std::string> basis;  ///< what the predictions rest on, one sentence each
  std::vector<ValidationCase> cases;
};

/// Reads a set from .txtpb. Throws InputError naming file, case and field.
ValidationSet read_validation_set(const std::filesystem::path& path);

/// A case as predicted.
struct CasePrediction {
  const ValidationCase* validation = nullptr;
  Seconds simgrid{0};
  Seconds recurrence{0};
  Seconds formula{0};
  Seconds baseline{0};
};

/// Relative distance of `predicted` from the measured median, 0 inside the range of the samples.
double scored_error(Seconds predicted, const ValidationCase& validation);

struct ErrorSummary {
  double median = 0.0;  ///< the lower of two in the middle
  double p90 = 0.0;     ///< the smallest error that nine tenths of the cases do not pass
  double worst = 0.0;
};

/// Requires at least one error; they may come in any order.
ErrorSummary summary_of(std::vector<double> errors);

/// A set as predicted, beside a baseline that anybody writes in ten lines: gradients in buckets,
/// one ring after the other at one efficiency of the links, which is fitted to this very set.
struct ValidationResult {
  const ValidationSet* set = nullptr;
  std::vector<CasePrediction> cases;
  double baseline_efficiency = 1.0;  ///< of the links' nominal rate; the one with the least median
  ErrorSummary ours;                 ///< by SimGrid
  ErrorSummary baseline;

  bool meets_aim() const { return ours.median <= set->aim_median && ours.p90 <= set->aim_p90; }
};

/// Plays every case. Throws IncompleteError when a simulation did not end.
ValidationResult validate(const ValidationSet& set);

}  // namespace gradwire
