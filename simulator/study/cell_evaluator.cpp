#include "simulator/study/cell_evaluator.hpp"

#include <cmath>

#include "compressors/spec/registry.hpp"
#include "simulator/formula/formula.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "simulator/scenario/what_if.hpp"

namespace gradwire {
namespace {

/// Costs that a what-if changes are no longer what was measured.
std::string cost_standing(const CompressorChoice& choice, const Compression& asked) {
  const Compression& known = choice.compression;
  const bool changed = known.encode != asked.encode || known.decode != asked.decode;
  return changed ? "derived" : choice.standing;
}

/// The verdict of a formula that knows one switch of equal NICs and nobody else.
double nominal_speedup(const Scenario& scenario, const std::string& baseline) {
  const Scenario plain = nominal(scenario);
  Scenario without = plain;
  without.compression = {};
  if (baseline == "fp16") without.compression.scheme = parse_scheme(baseline);
  return recurrence_time(without) / recurrence_time(plain);
}

}  // namespace

CellEvaluator::CellEvaluator(const StudySpec& spec,
                             const std::vector<SharedValue<Workload>>& workloads)
    : spec_(spec), workloads_(workloads) {}

const std::string& CellEvaluator::device_of(const CellKey& key) const {
  const std::string& of_trace = workloads_[key.workload]->device_name;
  return of_trace.empty() ? spec_.grids[key.grid].cluster.device : of_trace;
}

CellEvaluator::Setting& CellEvaluator::setting_of(const CellKey& key) {
  const std::tuple wanted{key.grid,    key.workload,        key.workers, key.bandwidth,
                          key.latency, key.compute_speedup, key.what_if, key.shuffle_seed};
  if (setting_ && setting_->key == wanted) return *setting_;
  const GridSpec& grid = spec_.grids[key.grid];
  Setting& setting = setting_.emplace();
  setting.key = wanted;
  Scenario& scenario = setting.asked;
  scenario.workload = workloads_[key.workload];
  scenario.cluster = grid.cluster;
  scenario.workers = key.workers;
  scenario.caps = grid.caps;
  scenario.latency_mode = grid.latency_mode;
  if (key.latency != grid.cluster.nic.latency) scenario.cluster.nic_latency_band.reset();
  scenario.cluster.nic = {key.bandwidth, key.latency};
  scenario.second_job = grid.second_job;
  scenario.all_gather = grid.all_gather;
  scenario.all_reduce = grid.all_reduce;
  if (key.shuffle_seed) {
    scenario.ring_order = shuffled_nodes(scenario.cluster, key.workers, *key.shuffle_seed);
  }
  scenario.overlap_slowdown =
      make_assumptions(scenario.workload, device_of(key), scenario.cluster).slowdown;
  scenario = with_faster_compute(std::move(scenario), key.compute_speedup);
  setting.what_ifs = parse_what_ifs(key.what_if, "what_if");
  setting.scenario = with_what_ifs(scenario, setting.what_ifs);
  setting.assumptions = assumptions_of_changed(scenario, setting.scenario, device_of(key));
  return setting;
}

const CompressorChoice& CellEvaluator::choose(const CellKey& key, const std::string& compressor,
                                              CostChoice costs) {
  const std::tuple wanted{key.grid, key.workload, compressor, key.workers, costs};
  auto found = choices_.find(wanted);
  if (found == choices_.end()) {
    GivenCost given;
    given.choice = costs;
    found = choices_
                .emplace(wanted, choose_compressor(compressor, setting_of(key).asked,
                                                   device_of(key), key.mode, given))
                .first;
  }
  return found->second;
}

const CompressorChoice* CellEvaluator::choice_of(const CellKey& key) {
  if (key.compressor == "none") return nullptr;
  return &choose(key, key.compressor, CostChoice::kStandard);
}

double CellEvaluator::encode_divisor_of(const CellKey& key) const {
  const bool follows = spec_.grids[key.grid].encode_with_compute;
  return key.encode_divisor * (follows ? key.compute_speedup : 1.0);
}

Scenario CellEvaluator::with_changes(const CellKey& key, Scenario scenario) {
  scenario = with_cheaper_encode(std::move(scenario), encode_divisor_of(key));
  scenario = with_payload(std::move(scenario), key.payload_factor());
  return with_what_ifs(std::move(scenario), setting_of(key).what_ifs);
}

Scenario CellEvaluator::scenario_of(const CellKey& key) {
  Scenario scenario = setting_of(key).asked;
  if (const CompressorChoice* choice = choice_of(key)) scenario.compression = choice->compression;
  return with_changes(key, std::move(scenario));
}

Compression CellEvaluator::compression_of(const CellKey& key, const std::string& compressor,
                                          CostChoice costs) {
  Scenario scenario = setting_of(key).asked;
  scenario.compression = choose(key, compressor, costs).compression;
  return with_changes(key, std::move(scenario)).compression;
}

Assumptions CellEvaluator::assumptions_of(const CellKey& key) {
  return setting_of(key).assumptions;
}

void CellEvaluator::compare(const CellKey& key, const Scenario& scenario, StudyRow& row) {
  Setting& setting = setting_of(key);
  const SimgridSettings simgrid = simgrid_settings(spec_.grids[key.grid]);
  const CornerTimes times = corner_times(scenario, setting.assumptions, simgrid);
  row.band = band_of(times);
  const CompressorChoice* choice = choice_of(key);
  if (choice == nullptr) {
    if (is_contended(spec_.grids[key.grid])) return;
    row.study_outside = study_form(scenario, LastBucket::kOutside, StudyBuckets::kReal);
    row.study_inside = study_form(scenario, LastBucket::kInside, StudyBuckets::kReal);
    return;
  }
  if (!setting.baselines) {
    setting.baselines = baseline_times(setting.scenario, setting.assumptions, simgrid);
  }
  const Compression& compression = scenario.compression;
  row.compressor = {wire_bytes_of(scenario), compression.encode, compression.decode,
                    cost_standing(*choice, compression),
                    compression.mode == CompressionMode::kOverlapped};
  row.verdicts = compare_with_baselines(times, *setting.baselines, *choice->compression.scheme);
  if (!is_contended(spec_.grids[key.grid])) return;
  for (Verdict& verdict : row.verdicts) {
    verdict.nominal_speedup = nominal_speedup(scenario, verdict.baseline);
  }
}

StudyRow CellEvaluator::evaluate(const CellKey& key) {
  const std::vector<Estimator>& estimators = spec_.grids[key.grid].estimators;
  const EstimatorSettings settings{simgrid_settings(spec_.grids[key.grid]), {}};
  const Scenario scenario = scenario_of(key);
  StudyRow row;
  row.key = key;
  row.overlap_slowdown = scenario.overlap_slowdown;
  for (const Estimator estimator : estimators) {
    if (!can_answer(estimator, scenario)) {
      row.answers.emplace_back();
      continue;
    }
    const IterationResult result = estimate(scenario, estimator, settings);
    if (estimator == estimators.front()) {
      row.iteration = result.iteration;
      row.breakdown = result.breakdown;
      row.network = result.network;
    }
    row.answers.emplace_back(result.backward_sync);
  }
  if (is_overlapped(scenario) && !links_are_shared(scenario))
    row.overlap = measure_overlap_loss(scenario);
  row.scaling_efficiency = scenario.workload->backward_span / row.main();
  compare(key, scenario, row);
  return row;
}

}  // namespace gradwire
