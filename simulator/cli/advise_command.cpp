#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/accuracy/gradient_dump.hpp"
#include "simulator/accuracy/scheme_accuracy.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/scenario_options.hpp"
#include "simulator/questions/advice.hpp"
#include "simulator/report/advice_report.hpp"
#include "simulator/report/progress.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kSeed = 1;  // as the standard of `gradwire gradients`

struct AdviseOptions {
  ScenarioOptions scenario;
  std::vector<std::string> gradients;
  std::string gradient_parameters;
  bool json = false;
};

void refuse_one_compressors_options(const ScenarioOptions& options) {
  if (options.mode.empty() && options.compressor_trace.empty() && options.encode_time.empty() &&
      options.decode_time.empty()) {
    return;
  }
  throw InputError(
      "--mode, --compressor-trace, --encode-time, --decode-time: found; advise ranks every "
      "compressor in both modes, by the costs of a profile: --cost-profile is accepted");
}

/// The usual compressors, and the one that was asked for beside them.
std::vector<std::string> compressors_of(const std::string& asked) {
  std::vector<std::string> compressors;
  std::vector<std::string> spellings;
  const auto add = [&](const std::string& compressor) {
    const std::unique_ptr<Scheme> scheme = parse_scheme(compressor);
    const std::string spelling = scheme->spelling();
    if (std::find(spellings.begin(), spellings.end(), spelling) != spellings.end()) return;
    spellings.push_back(spelling);
    compressors.push_back(compressor);
  };
  for (const std::string& usual : usual_compressors()) {
    if (!parse_scheme(usual)->cast_size()) add(usual);
  }
  if (!asked.empty()) add(asked);
  return compressors;
}

/// What the casts and `compressors` make of the dumped gradients, into `report`.
void measure_errors(const AdviseOptions& options, const std::vector<std::string>& compressors,
                    const Workload& workload, AdviceReport& report) {
  if (options.gradients.empty()) {
    if (options.gradient_parameters.empty()) return;
    throw InputError("--gradient-parameters: found without --gradients");
  }
  const std::string& parameters = options.gradient_parameters.empty() ? options.scenario.parameters
                                                                      : options.gradient_parameters;
  if (parameters.empty()) {
    throw InputError(
        "--gradients: found without --gradient-parameters, the CSV parameter,shape of a row");
  }
  const RecordedGradients gradients =
      open_gradient_dump({options.gradients.begin(), options.gradients.end()}, parameters);
  std::vector<std::string> spellings = {"none", "fp16", "bf16"};
  spellings.insert(spellings.end(), compressors.begin(), compressors.end());
  for (const std::string& spelling : spellings) check_measurable(spelling);
  Progress progress("exchanges");
  const std::size_t all = spellings.size() * static_cast<std::size_t>(gradients.iterations);
  std::size_t done = 0;
  for (const std::string& spelling : spellings) {
    SchemeAccuracy accuracy =
        measure_accuracy(gradients, spelling, kSeed, [&] { progress.show(++done, all); });
    const std::string name = accuracy.scheme;
    report.accuracy.emplace(name, std::move(accuracy));
  }
  const std::int64_t elements = total_elements(gradients.shapes).count();
  report.accuracy_basis = fmt::format(
      "Error: relative, of single exchanges of {} iterations of {} ranks' gradients (median), and "
      "of "
      "their sum; - for a scheme whose result is no average. No measure of convergence.",
      gradients.iterations, gradients.ranks);
  if (elements != workload.total_elements().count()) {
    report.accuracy_basis +=
        fmt::format(" Those gradients are of another model: {} elements, the trace's has {}.",
                    elements, workload.total_elements().count());
  }
}

void advise(const AdviseOptions& options) {
  ScenarioOptions scenario = options.scenario;
  refuse_one_compressors_options(scenario);
  AdviceQuestion question;
  question.compressors = compressors_of(scenario.compressor);
  if (!scenario.cost_profile.empty()) question.profile = read_cost_profile(scenario.cost_profile);
  scenario.compressor.clear();
  scenario.cost_profile.clear();
  const Question asked = make_question(scenario);
  question.scenario = asked.scenario;
  question.assumptions = asked.assumptions;
  for (const WhatIfEffect& effect : asked.what_ifs) {
    question.assumptions.basis.push_back("asked: what if " + effect.text);
  }
  const Workload& workload = asked.scenario.workload;
  question.device =
      workload.device_name.empty() ? asked.scenario.cluster.device : workload.device_name;

  AdviceReport report;
  report.trace = workload.name;
  report.device = question.device;
  report.cluster = asked.scenario.cluster.name;
  report.workers = asked.scenario.workers;
  report.bandwidth = asked.scenario.cluster.nic.bandwidth;
  report.batch = workload.batch;
  if (question.profile) {
    report.cost_profile = question.profile->name;
  } else if (const CostProfile* fitting = find_cost_profile(question.device)) {
    report.cost_profile = fitting->name;
  }
  report.advice = give_advice(question);
  const std::vector<std::string> idle = warnings_of(asked.what_ifs);
  report.advice.warnings.insert(report.advice.warnings.end(), idle.begin(), idle.end());
  measure_errors(options, question.compressors, workload, report);
  options.json ? write_json(report, std::cout) : write_text(report, std::cout);
}

}  // namespace

void add_advise_command(CLI::App& app) {
  auto options = std::make_shared<AdviseOptions>();
  CLI::App* command =
      app.add_subcommand("advise", "Which compressor to take, if any, and what else to do instead");
  add_scenario_options(*command, options->scenario);
  command->add_option("--gradients", options->gradients,
                      "Gradients of the ranks, .npy, one file a rank: what each scheme makes of "
                      "them is shown beside its time");
  command->add_option("--gradient-parameters", options->gradient_parameters,
                      "CSV parameter,shape of a row of those files; default --parameters");
  command->add_flag("--json", options->json, "The advice as one JSON object on standard output");
  command->callback([options] { advise(*options); });
}

}  // namespace gradwire
