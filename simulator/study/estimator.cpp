#include "simulator/study/estimator.hpp"

#include <fmt/format.h>

#include <array>

#include "base/errors.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/formula/formula.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/contention.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<Estimator, std::string_view>, 3> kNames = {{
    {Estimator::kSimgrid, "simgrid"},
    {Estimator::kRecurrence, "recurrence"},
    {Estimator::kFormula, "formula"},
}};

void add_iteration(IterationResult& result, std::optional<Seconds> outside_backward) {
  if (outside_backward) result.iteration = result.backward_sync + *outside_backward;
}

IterationResult make_result(Estimator estimator, Timeline timeline,
                            std::optional<Seconds> outside_backward) {
  IterationResult result;
  result.estimator = name_of(estimator);
  result.backward_sync = timeline.end;
  result.breakdown = breakdown_of(timeline, timeline.last_rank);
  result.network = network_use_of(timeline, timeline.last_rank);
  result.timeline = std::move(timeline);
  add_iteration(result, outside_backward);
  return result;
}

}  // namespace

std::string_view name_of(Estimator estimator) {
  for (const auto& [known, name] : kNames) {
    if (known == estimator) return name;
  }
  return "unknown";
}

Estimator estimator_from_name(std::string_view name) {
  for (const auto& [estimator, known] : kNames) {
    if (known == name) return estimator;
  }
  throw InputError(
      fmt::format("engine: \"{}\" found; accepted: simgrid, recurrence, formula", name));
}

PendingEstimate::PendingEstimate(const Scenario& scenario, const EstimatorSettings& settings)
    : outside_backward_(scenario.workload->outside_backward),
      simulation_(make_plan(scenario), scenario.cluster, settings.timeline, settings.simgrid) {}

IterationResult PendingEstimate::finish() {
  return make_result(Estimator::kSimgrid, simulation_.finish(), outside_backward_);
}

bool can_answer(Estimator estimator, const Scenario& scenario) {
  if (estimator == Estimator::kSimgrid) return true;
  const bool uneven = !rank_factors(scenario).empty();
  if (estimator == Estimator::kFormula && (uneven || is_overlapped(scenario))) return false;
  return estimator == Estimator::kFormula ? has_closed_form(scenario) : !links_are_shared(scenario);
}

Seconds recurrence_time(const Scenario& scenario) {
  return quick_recurrence_end(make_plan(scenario), scenario.cluster);
}

Seconds quickest_time(const Scenario& scenario, const SimgridSettings& simgrid) {
  if (!links_are_shared(scenario)) return recurrence_time(scenario);
  return estimate(scenario, Estimator::kSimgrid, {simgrid, {}}).backward_sync;
}

IterationResult estimate(const Scenario& scenario, Estimator estimator,
                         const EstimatorSettings& settings) {
  switch (estimator) {
    case Estimator::kSimgrid:
      return PendingEstimate(scenario, settings).finish();
    case Estimator::kRecurrence:
      check_unshared(scenario);
      return make_result(estimator,
                         play_recurrence(make_plan(scenario), scenario.cluster, settings.timeline),
                         scenario.workload->outside_backward);
    case Estimator::kFormula: {
      IterationResult result = estimate_formula(scenario);
      add_iteration(result, scenario.workload->outside_backward);
      return result;
    }
  }
  GW_CHECK(false, "an estimator without a case");
}

}  // namespace gradwire
