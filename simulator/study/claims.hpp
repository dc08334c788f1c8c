#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/study/cell_evaluator.hpp"
#include "simulator/study/study_row.hpp"

namespace gradwire {

/// A claim with what our cells say.
struct ClaimResult {
  const ClaimSpec* claim = nullptr;
  std::optional<double> ours;  ///< in the claim's unit; absent when no cell tells
  /// How far ours lies outside the claim's range, relative to its nearer end: 0 inside, below 0
  /// under it. Absent with `ours`.
  std::optional<double> distance;
};

/// What can stand beside a claim.
struct ClaimMeasure {
  std::string_view name;
  /// Nothing when the cells do not tell.
  std::optional<double> (*take)(const ClaimSpec& claim, const std::vector<const StudyRow*>& rows,
                                CellEvaluator& evaluator);
};

const std::vector<ClaimMeasure>& claim_measures();

/// Throws InputError listing the measures when `name` is none.
const ClaimMeasure& find_claim_measure(const std::string& name);

/// Every claim of the study beside our rows.
std::vector<ClaimResult> judge_claims(const StudySpec& spec, const std::vector<StudyRow>& rows,
                                      CellEvaluator& evaluator);

}  // namespace gradwire
