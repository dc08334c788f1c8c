#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/study/run_study.hpp"

namespace gradwire {

/// A column of a study's rows (docs/formats/results-csv.md): of numbers or of texts.
struct StudyColumn {
  std::string name;
  std::function<std::optional<double>(const StudyRow&)> number;  ///< absent where the row has none
  std::function<std::string(const StudyRow&)> text;  ///< empty function in a column of numbers
};

/// All columns in the order of results.csv; they refer to both arguments.
std::vector<StudyColumn> study_columns(const StudySpec& spec, const StudyOutcome& outcome);

}  // namespace gradwire
