#pragma once

#include <optional>
#include <vector>

#include "simulator/validation/validation_set.hpp"

namespace gradwire {

/// A compressed case and the uncompressed one that it is held against: indices into a set's cases.
struct VerdictPair {
  std::size_t compressed = 0;
  std::size_t uncompressed = 0;
};

/// Every case with a compressor for which the set has a case that differs in nothing else.
std::vector<VerdictPair> verdict_pairs(const std::vector<MeasuredCase>& cases);

/// How often "helps" and "does not help" were right, where a measurement tells them apart: its
/// speed-up is further than kTieBand from 1. Predicted is "helps" above 1.
struct VerdictScore {
  std::size_t pairs = 0;        ///< all
  std::size_t near = 0;         ///< of these, measured within a tenth of break-even
  std::size_t helps = 0;        ///< measured clearly faster
  std::size_t harms = 0;        ///< measured clearly slower
  std::size_t helps_found = 0;  ///< of the former, predicted so
  std::size_t harms_found = 0;

  /// Mean of both shares found, so that always guessing the same reaches one half. Absent where
  /// nothing helps or nothing harms.
  std::optional<double> balanced_accuracy() const;
  /// Share of right verdicts, and that of always giving the commoner answer.
  double accuracy() const;
  double majority() const;

  /// One pair more.
  void add(double measured_speedup, double predicted_speedup);
};

}  // namespace gradwire
