#include "simulator/validation/play_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/gloo/gloo_estimate.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/validation/baseline.hpp"
#include "simulator/validation/measured_workload.hpp"
#include "simulator/validation/random_cells.hpp"
#include "simulator/validation/recorded_traces.hpp"

namespace gradwire {
namespace {

constexpr Estimator kEstimators[] = {Estimator::kFormula, Estimator::kRecurrence,
                                     Estimator::kSimgrid};

Compression compression_of(const MeasuredCase& one) {
  Compression compression;
  if (one.compressor == "none") return compression;
  compression.scheme = parse_scheme(one.compressor);
  if (compression.scheme->cast_size()) return compression;
  if (!one.encode || !one.decode) {
    throw InputError(fmt::format("case {}: {} found without encode and decode; both are needed",
                                 one.name, one.compressor));
  }
  compression.encode = *one.encode;
  compression.decode = *one.decode;
  return compression;
}

/// The question that the estimators are asked; its links carry payload.
Scenario scenario_of(const ValidationSet& set, const MeasuredCase& one, const Workload& workload) {
  Scenario scenario;
  scenario.workload = workload;
  scenario.cluster.name = set.name;
  scenario.cluster.nodes = one.ranks;
  scenario.cluster.gpus_per_node = 1;
  scenario.cluster.nic = {one.bandwidth * set.payload_efficiency, set.latency};
  scenario.cluster.intra = scenario.cluster.nic;
  scenario.workers = one.ranks;
  scenario.caps = one.caps;
  scenario.compression = compression_of(one);
  return scenario;
}

Seconds scored_time(const IterationResult& result, const MeasuredCase& one) {
  if (one.measured.scores == ScoredTime::kBackwardSync) return result.backward_sync;
  if (result.iteration) return *result.iteration;
  throw InputError(fmt::format(
      "case {}: scores: iteration found, but the trace does not tell what is outside the backward "
      "pass",
      one.name));
}

/// The cases of a set of measurements, one after the other.
class MeasuredSet {
 public:
  explicit MeasuredSet(const ValidationSet& set) : set_(set) {}

  SetOutcome play() {
    outcome_.set = set_;
    for (const Estimator estimator : kEstimators) outcome_.models.emplace_back(name_of(estimator));
    outcome_.main = outcome_.models.size() - 1;
    if (set_.gloo) {
      outcome_.main = outcome_.models.size();
      outcome_.models.emplace_back("gloo");
    }
    for (const MeasuredCase& one : set_.cases) outcome_.cases.push_back(play_case(one));
    add_baseline();
    return std::move(outcome_);
  }

 private:
  CaseOutcome play_case(const MeasuredCase& one) {
    CaseOutcome outcome{one.name, one.measured, "", {}};
    try {
      const LoadedWorkload& loaded = workload_of(one);
      const Scenario scenario = scenario_of(set_, one, loaded.as_measured);
      for (const Estimator estimator : kEstimators) {
        add_answer(outcome, scored_time(estimate(scenario, estimator), one));
      }
      if (set_.gloo) add_gloo(one, loaded, outcome);
      played_.push_back({scenario, one.bandwidth, one.measured.median});
    } catch (const InputError& error) {
      outcome.failure = error.what();
      outcome.answers.clear();
    } catch (const IncompleteError& error) {
      outcome.failure = error.what();
      outcome.answers.clear();
    }
    return outcome;
  }

  void add_gloo(const MeasuredCase& one, const LoadedWorkload& loaded, CaseOutcome& outcome) {
    GlooHost host = *set_.gloo;
    host.make += loaded.make;
    IterationResult result;
    result.backward_sync = estimate_gloo(scenario_of(set_, one, loaded.as_listed), host);
    if (const auto outside = loaded.as_listed.outside_backward) {
      result.iteration = result.backward_sync + *outside;
    }
    add_answer(outcome, scored_time(result, one));
  }

  void add_answer(CaseOutcome& outcome, Seconds time) const {
    outcome.answers.push_back(
        {time, raw_error(time, outcome.measured), scored_error(time, outcome.measured, set_.rule)});
  }

  const LoadedWorkload& workload_of(const MeasuredCase& one) {
    auto found = workloads_.find(one.workload);
    if (found == workloads_.end()) {
      found = workloads_.emplace(one.workload, load_workload(set_.workloads[one.workload])).first;
    }
    return found->second;
  }

  /// The baseline knows backward plus synchronisation alone.
  void add_baseline() {
    const bool all_backward = std::all_of(
        set_.cases.begin(), set_.cases.end(),
        [](const MeasuredCase& one) { return one.measured.scores == ScoredTime::kBackwardSync; });
    if (!all_backward || played_.empty()) return;
    outcome_.models.emplace_back("baseline");
    outcome_.baseline_efficiency = fit_baseline(played_);
    std::size_t next = 0;
    for (CaseOutcome& outcome : outcome_.cases) {
      if (!outcome.failure.empty()) continue;
      const BaselineCase& played = played_[next++];
      add_answer(outcome,
                 baseline_time(played.scenario, played.link, *outcome_.baseline_efficiency));
    }
  }

  const ValidationSet& set_;
  SetOutcome outcome_;
  std::map<std::size_t, LoadedWorkload> workloads_;
  std::vector<BaselineCase> played_;
};

void add_summaries(SetOutcome& outcome) {
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    std::vector<double> errors;
    for (const CaseOutcome& one : outcome.cases) {
      if (one.failure.empty()) errors.push_back(one.answers[model].scored);
    }
    outcome.summaries.push_back(summarize(std::move(errors)));
  }
  Aim aim = outcome.set.aim;
  if (!outcome.baseline_efficiency) aim.baseline_share.reset();
  outcome.aim = check_aim(aim, outcome.summaries[outcome.main], outcome.summaries.back());
}

}  // namespace

std::size_t SetOutcome::failures() const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const CaseOutcome& one) { return !one.failure.empty(); }));
}

SetOutcome play_set(const ValidationSet& set) {
  SetOutcome outcome = set.random              ? play_random_cells(set)
                       : !set.recorded.empty() ? play_recorded_traces(set)
                                               : MeasuredSet(set).play();
  add_summaries(outcome);
  return outcome;
}

}  // namespace gradwire
