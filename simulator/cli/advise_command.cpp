#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/accuracy/scheme_accuracy.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/scenario_options.hpp"
#include "simulator/questions/advice.hpp"
#include "simulator/report/advice_report.hpp"

namespace gradwire {
namespace {

struct AdviseOptions {
  ScenarioOptions scenario;
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
  options.json ? write_json(report, std::cout) : write_text(report, std::cout);
}

}  // namespace

void add_advise_command(CLI::App& app) {
  auto options = std::make_shared<AdviseOptions>();
  CLI::App* command =
      app.add_subcommand("advise", "Which compressor to take, if any, and what else to do instead");
  add_scenario_options(*command, options->scenario);
  command->add_flag("--json", options->json, "The advice as one JSON object on standard output");
  command->callback([options] { advise(*options); });
}

}  // namespace gradwire
