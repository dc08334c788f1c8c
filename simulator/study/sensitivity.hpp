#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/study/cell_evaluator.hpp"

namespace gradwire {

/// The input of a recount against another baseline, which is no uncertainty.
inline constexpr const char* kOtherBaseline = "baseline";

/// The share of a grid's compressed cells that win, recounted with one input at another value.
struct Recount {
  std::string input;  ///< "latency between nodes"
  std::string value;  ///< "10 us"
  std::size_t wins = 0;
  std::size_t cells = 0;

  double share() const {
    return cells == 0 ? 0.0 : static_cast<double>(wins) / static_cast<double>(cells);
  }
};

/// The factor on one input alone at which the share of wins falls to the target.
struct TargetFactor {
  std::string input;             ///< "bandwidth between nodes"
  std::optional<double> factor;  ///< absent when no factor up to `most` does it
  double most = 1.0;
  double share = 0.0;  ///< at the factor, or at `most`
};

struct SensitivityResult {
  const SensitivitySpec* spec = nullptr;
  Recount here;  ///< with every input as the grid has it
  std::vector<Recount> recounts;
  std::vector<TargetFactor> targets;  ///< empty without a target
};

/// Recounts by the recurrence, both sides of every comparison.
SensitivityResult measure_sensitivity(const SensitivitySpec& sensitivity, const StudySpec& spec,
                                      CellEvaluator& evaluator);

}  // namespace gradwire
