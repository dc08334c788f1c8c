#pragma once

#include <string_view>

#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// The estimators that answer a scenario (docs/model.md).
enum class Estimator { kSimgrid, kRecurrence, kFormula };

/// "simgrid", "recurrence", "formula".
std::string_view name_of(Estimator estimator);

/// Throws InputError listing the estimators when `name` is none.
Estimator estimator_from_name(std::string_view name);

struct EstimatorSettings {
  SimgridSettings simgrid;
  TimelineRequest timeline;
};

/// The answer of one estimator. Throws InputError when the scenario cannot be played, or shares
/// links and `estimator` is not SimGrid, and
/// IncompleteError when a simulation did not end.
IterationResult estimate(const Scenario& scenario, Estimator estimator,
                         const EstimatorSettings& settings = {});

/// Whether `estimator` knows what `scenario` asks for: the formula knows neither overlapped
/// compression nor uneven ranks, and SimGrid alone answers where links are shared.
bool can_answer(Estimator estimator, const Scenario& scenario);

/// Backward plus synchronisation by the quick form of the recurrence, for those who ask thousands
/// of times and compare like with like.
Seconds recurrence_time(const Scenario& scenario);

/// The same where no links are shared; elsewhere SimGrid's answer, which takes a process.
Seconds quickest_time(const Scenario& scenario, const SimgridSettings& simgrid = {});

/// A SimGrid answer under way in a process of its own, so that several can run at once.
class PendingEstimate {
 public:
  PendingEstimate(const Scenario& scenario, const EstimatorSettings& settings);
  IterationResult finish();

 private:
  std::optional<Seconds> outside_backward_;
  PendingSimulation simulation_;
};

}  // namespace gradwire
