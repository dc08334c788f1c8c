#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/scenario_options.hpp"
#include "simulator/cli/timeline_file.hpp"
#include "simulator/cli/uncertainty_options.hpp"
#include "simulator/engine/simgrid/options.hpp"
#include "simulator/formula/formula.hpp"
#include "simulator/report/simulation_report.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/study_spec.hpp"
#include "simulator/study/verdict.hpp"

namespace gradwire {
namespace {

struct SimulateOptions {
  ScenarioOptions scenario;
  UncertaintyOptions uncertainty;
  std::string engine = "simgrid";
  std::string simgrid_mode = "coupled";
  bool json = false;
  TimelineOptions timeline;
  bool show_simgrid_options = false;
};

EstimatorSettings settings_of(const SimulateOptions& options, int workers) {
  EstimatorSettings settings;
  settings.simgrid.mode = simgrid_mode_from_name(options.simgrid_mode);
  settings.timeline = timeline_request(options.timeline, workers);
  return settings;
}

CompressorReport report_compressor(const Question& question, const CornerTimes& times) {
  const CompressorChoice& choice = *question.compressor;
  return {choice.spelling,
          choice.wire_bytes,
          choice.ratio,
          choice.compression.encode,
          choice.compression.decode,
          compare_with_baselines(times, baseline_times(question.scenario, question.assumptions),
                                 *choice.compression.scheme),
          is_overlapped(question.scenario) ? std::optional(measure_overlap_loss(question.scenario))
                                           : std::nullopt};
}

SimulationReport make_report(const Question& question, const std::optional<Sampling>& sampling,
                             Estimator estimator, const EstimatorSettings& settings) {
  const Scenario& scenario = question.scenario;
  SimulationReport report;
  if (sampling) report.samples = play_samples(scenario, sampling->jitter, sampling->settings);
  report.trace = scenario.workload->name;
  report.device = scenario.workload->device_name;
  report.cluster = scenario.cluster.name;
  report.replay = name_of(scenario.workload->replay);
  report.batch = scenario.workload->batch;
  report.compute_standing = scenario.workload->compute_standing;
  report.latency_mode = name_of(scenario.latency_mode);
  report.workers = scenario.workers;
  report.bandwidth = scenario.cluster.nic.bandwidth;
  report.nic_latency = scenario.cluster.nic.latency;
  report.overlap_slowdown = scenario.overlap_slowdown;
  report.parameters = scenario.workload->total_elements().count();
  report.gradient_bytes = scenario.workload->total_bytes();
  for (const Bucket& bucket : make_buckets(scenario.workload->gradients, scenario.caps)) {
    report.buckets.push_back(bucket.bytes());
  }
  report.main = estimate(scenario, estimator, settings);
  for (const Estimator other : {Estimator::kSimgrid, Estimator::kRecurrence, Estimator::kFormula}) {
    if (other != estimator && can_answer(other, scenario))
      report.others.push_back(estimate(scenario, other));
  }
  const CornerTimes times = corner_times(scenario, question.assumptions);
  if (question.compressor) {
    report.compressor = report_compressor(question, times);
  } else if (has_closed_form(scenario) && rank_factors(scenario).empty()) {
    report.study_outside = study_form(scenario, LastBucket::kOutside, StudyBuckets::kReal);
    report.study_inside = study_form(scenario, LastBucket::kInside, StudyBuckets::kReal);
  }
  const AnswerBand band = band_of(times);
  report.band_low = std::min(band.low, report.main.backward_sync);
  report.band_high = std::max(band.high, report.main.backward_sync);
  report.what_ifs = question.what_ifs;
  report.basis = question.assumptions.basis;
  report.warnings = scenario.workload->warnings;
  const std::vector<std::string> idle = warnings_of(question.what_ifs);
  report.warnings.insert(report.warnings.end(), idle.begin(), idle.end());
  if (question.compressor) {
    const auto& more = question.compressor->warnings;
    report.warnings.insert(report.warnings.end(), more.begin(), more.end());
  }
  return report;
}

std::string write_timeline(const SimulateOptions& options, const Scenario& scenario,
                           const IterationResult& result) {
  WorkloadSource source;
  source.trace = options.scenario.trace;
  source.parameters = options.scenario.parameters;
  std::optional<std::int32_t> iteration;
  if (options.scenario.iteration >= 0) iteration = options.scenario.iteration;
  return write_timeline(options.timeline, scenario, result.timeline, source, iteration);
}

void print_simgrid_options() {
  for (const SimgridOption& option : simgrid_options()) {
    fmt::print("{}:{}  ({})\n", option.name, option.value, option.reason);
  }
}

void simulate(const SimulateOptions& options) {
  const Estimator estimator = estimator_from_name(options.engine);
  Question question = make_question(options.scenario);
  const std::optional<Sampling> sampling = apply_uncertainty(options.uncertainty, question);
  const EstimatorSettings settings = settings_of(options, question.scenario.workers);
  check_timeline(options.timeline,
                 {options.scenario.trace, options.scenario.parameters, options.scenario.cluster});
  const SimulationReport report = make_report(question, sampling, estimator, settings);
  std::string written;
  if (options.timeline.wanted()) written = write_timeline(options, question.scenario, report.main);
  options.json ? write_json(report, std::cout) : write_text(report, std::cout);
  if (options.show_simgrid_options) print_simgrid_options();
  if (!written.empty() && !options.json) fmt::print(std::cout, "{}\n", written);
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "How long one training iteration takes on a cluster, and why");
  add_scenario_options(*command, options->scenario);
  add_uncertainty_options(*command, options->uncertainty);
  command->add_option("--engine", options->engine,
                      "Whose answer is the main one: simgrid (default), recurrence, formula");
  command->add_option("--simgrid-mode", options->simgrid_mode,
                      "coupled (default): one flow a collective phase; step: every message");
  CLI::Option* json = command->add_flag("--json", options->json,
                                        "The answer as one JSON object on standard output");
  add_timeline_options(*command, options->timeline);
  command
      ->add_flag("--show-simgrid-options", options->show_simgrid_options,
                 "Print every SimGrid option as it is set, with its reason")
      ->excludes(json);
  command->callback([options] { simulate(*options); });
}

}  // namespace gradwire
