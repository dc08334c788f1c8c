#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "simulator/study/study_spec.hpp"

namespace gradwire {

/// A claim of the study beside what our cells say; figures as in ClaimResult.
struct JudgedClaim {
  ClaimSpec claim;
  std::optional<double> ours;
  std::optional<double> distance;
};

/// Runs the study in `file` and judges its claims. Throws as `read_study` and `run_study`, and
/// IncompleteError when a cell has no answer.
std::vector<JudgedClaim> play_claims(const std::filesystem::path& file);

}  // namespace gradwire
