#include "simulator/validation/play_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/gloo/gloo_estimate.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/validation/baseline.hpp"
#include "simulator/validation/measured_collectives.hpp"
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
  compression.mode = one.mode;
  return compression;
}

/// The question that the estimators are asked.
Scenario scenario_of(const ValidationSet& set, const MeasuredCase& one, const Workload& workload) {
  Scenario scenario;
  scenario.workload = workload;
  scenario.cluster.name = set.name;
  scenario.cluster.nodes = (one.ranks + one.gpus_per_node - 1) / one.gpus_per_node;
  scenario.cluster.gpus_per_node = one.gpus_per_node;
  const MeasuredNetwork& network = set.networks[one.network];
  scenario.cluster.nic = {one.bandwidth, network.latency};
  scenario.cluster.efficiency = network.payload_efficiency;
  scenario.cluster.host_cap = network.host_cap;
  scenario.cluster.intra = network.intra.value_or(scenario.cluster.nic);
  scenario.all_reduce = one.all_reduce;
  scenario.overlap_slowdown = set.overlap_slowdown;
  scenario.workers = one.ranks;
  scenario.caps = one.caps;
  scenario.second_job = one.second_job;
  if (one.slow_rank > 1.0) {
    scenario.compute_factors.assign(static_cast<std::size_t>(one.ranks), 1.0);
    scenario.compute_factors[1] = one.slow_rank;
  }
  scenario.compression = compression_of(one);
  if (!is_overlapped(scenario)) return scenario;
  Compression& compression = scenario.compression;
  compression.buckets =
      spread_by_elements(bucket_shapes(workload, one.caps), compression.encode, compression.decode)
          .buckets;
  compression.overlap_costs.device_share = !set.decode_apart;
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
        add_answer(outcome, [&] { return scored_time(estimate(scenario, estimator), one); });
      }
      if (set_.gloo) add_answer(outcome, [&] { return gloo_time(one, loaded); });
      const CaseAnswer& main = outcome.answers[outcome_.main];
      if (!main.answered()) throw InputError(main.refusal);
      const bool all = one.measured.scores == ScoredTime::kIteration;
      const Seconds outside = all ? loaded.as_measured.outside_backward.value() : Seconds{0};
      played_.push_back({scenario, one.bandwidth, one.measured.median, outside});
    } catch (const InputError& error) {
      outcome.failure = error.what();
      outcome.answers.clear();
    } catch (const IncompleteError& error) {
      outcome.failure = error.what();
      outcome.answers.clear();
    }
    return outcome;
  }

  Seconds gloo_time(const MeasuredCase& one, const LoadedWorkload& loaded) const {
    GlooHost host = *set_.gloo;
    host.make += loaded.make;
    IterationResult result;
    result.backward_sync = estimate_gloo(scenario_of(set_, one, loaded.as_listed), host);
    if (const auto outside = loaded.as_listed.outside_backward) {
      result.iteration = result.backward_sync + *outside;
    }
    return scored_time(result, one);
  }

  /// What `answer` says, or why it does not.
  template <class Answer>
  void add_answer(CaseOutcome& outcome, Answer answer) const {
    CaseAnswer result;
    try {
      result.time = answer();
      result.raw = raw_error(result.time, outcome.measured);
      result.scored = scored_error(result.time, outcome.measured, set_.rule);
    } catch (const InputError& error) {
      result.refusal = error.what();
    }
    outcome.answers.push_back(std::move(result));
  }

  const LoadedWorkload& workload_of(const MeasuredCase& one) {
    const std::pair key{one.workload, one.initial_buckets};
    auto found = workloads_.find(key);
    if (found != workloads_.end()) return found->second;
    const MeasuredWorkload& source = set_.workloads[one.workload];
    LoadedWorkload loaded = load_workload(source);
    if (one.initial_buckets) {
      const std::vector<std::string> registration = read_registration(source.registration);
      loaded.as_measured = in_initial_order(std::move(loaded.as_measured), registration);
      loaded.as_listed = in_initial_order(std::move(loaded.as_listed), registration);
    }
    return workloads_.emplace(key, std::move(loaded)).first->second;
  }

  void add_baseline() {
    if (played_.empty()) return;
    outcome_.models.emplace_back("baseline");
    outcome_.baseline_efficiency = fit_baseline(played_);
    std::size_t next = 0;
    for (CaseOutcome& outcome : outcome_.cases) {
      if (!outcome.failure.empty()) continue;
      const BaselineCase& played = played_[next++];
      add_answer(outcome, [&] {
        return played.outside +
               baseline_time(played.scenario, played.link, *outcome_.baseline_efficiency);
      });
    }
  }

  const ValidationSet& set_;
  SetOutcome outcome_;
  std::map<std::pair<std::size_t, bool>, LoadedWorkload> workloads_;  // by index and initial order
  std::vector<BaselineCase> played_;
};

/// How the verdicts of one model do, over the pairs that it answers.
VerdictScore score_verdicts(const SetOutcome& outcome, std::size_t model) {
  VerdictScore score;
  for (const VerdictPair& pair : verdict_pairs(outcome.set.cases)) {
    const CaseOutcome& with = outcome.cases[pair.compressed];
    const CaseOutcome& without = outcome.cases[pair.uncompressed];
    if (!with.failure.empty() || !without.failure.empty()) continue;
    if (!with.answers[model].answered() || !without.answers[model].answered()) continue;
    score.add(without.measured.median / with.measured.median,
              without.answers[model].time / with.answers[model].time);
  }
  return score;
}

void add_summaries(SetOutcome& outcome) {
  const bool has_pairs = !verdict_pairs(outcome.set.cases).empty();
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    std::vector<double> errors;
    for (const CaseOutcome& one : outcome.cases) {
      if (one.failure.empty() && one.answers[model].answered()) {
        errors.push_back(one.answers[model].scored);
      }
    }
    outcome.answered.push_back(errors.size());
    outcome.summaries.push_back(summarize(std::move(errors)));
    if (has_pairs) outcome.verdicts.push_back(score_verdicts(outcome, model));
  }
  Aim aim = outcome.set.aim;
  if (!outcome.baseline_efficiency) aim.baseline_share.reset();
  outcome.aim = check_aim(aim, outcome.summaries[outcome.main], outcome.summaries.back());
  const auto accuracy =
      has_pairs ? outcome.verdicts[outcome.main].balanced_accuracy() : std::nullopt;
  if (aim.verdict_accuracy && accuracy) {
    outcome.aim.push_back({"balanced accuracy", *accuracy, *aim.verdict_accuracy, true});
  }
}

}  // namespace

std::size_t SetOutcome::failures() const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const CaseOutcome& one) { return !one.failure.empty(); }));
}

SetOutcome play_set(const ValidationSet& set) {
  if (!set.claims.empty()) {
    SetOutcome outcome;
    outcome.set = set;
    outcome.claims = play_claims(set.claims);
    return outcome;
  }
  SetOutcome outcome = set.random                 ? play_random_cells(set)
                       : !set.recorded.empty()    ? play_recorded_traces(set)
                       : !set.collectives.empty() ? play_measured_collectives(set)
                                                  : MeasuredSet(set).play();
  add_summaries(outcome);
  return outcome;
}

}  // namespace gradwire
