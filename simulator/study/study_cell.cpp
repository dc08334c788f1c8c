#include "simulator/study/study_cell.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "simulator/study/cell_evaluator.hpp"

namespace gradwire {
namespace {

/// A closed form plays nothing; SimGrid plays everything.
Estimator playing_estimator(const GridSpec& grid, const Scenario& scenario) {
  for (const Estimator estimator : grid.estimators) {
    if (estimator != Estimator::kFormula && can_answer(estimator, scenario)) return estimator;
  }
  return Estimator::kSimgrid;
}

}  // namespace

StudyCell read_study_cell(const StudySpec& spec, std::size_t number) {
  const std::size_t cells = cell_count(spec);
  if (number >= cells) {
    throw InputError(fmt::format("--cell: {} found; 0 to {} is accepted", number, cells - 1));
  }
  StudyCell cell;
  cell.key = cell_at(spec, number);
  WorkloadOptions options;
  options.replay = spec.replay;
  std::vector<SharedValue<Workload>> workloads(spec.workloads.size());
  workloads[cell.key.workload] = read_workload(spec.workloads[cell.key.workload], options);
  CellEvaluator evaluator(spec, workloads);
  cell.scenario = evaluator.scenario_of(cell.key);
  cell.estimator = playing_estimator(spec.grids[cell.key.grid], cell.scenario);
  return cell;
}

}  // namespace gradwire
