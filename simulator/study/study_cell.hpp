#pragma once

#include <cstddef>
#include <vector>

#include "simulator/study/cell_grid.hpp"

namespace gradwire {

/// The question of one cell of a study, to look into it alone.
struct StudyCell {
  CellKey key;
  Scenario scenario;
  Estimator estimator = Estimator::kSimgrid;  ///< the first of its grid that plays the scenario
};

/// Cell `number` of `spec`: from 0, in the order of results.csv. Reads no workload but its own.
/// Throws InputError when there is no such cell, and as CellEvaluator::scenario_of.
StudyCell read_study_cell(const StudySpec& spec, std::size_t number);

}  // namespace gradwire
