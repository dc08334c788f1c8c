#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "simulator/cli/command.hpp"
#include "simulator/cli/scenario_options.hpp"
#include "simulator/questions/explanation.hpp"
#include "simulator/report/explanation_report.hpp"

namespace gradwire {
namespace {

struct ExplainOptions {
  ScenarioOptions scenario;
  std::string engine = "simgrid";
  bool json = false;
};

void explain_question(const ExplainOptions& options) {
  const Estimator estimator = estimator_from_name(options.engine);
  const Question question = make_question(options.scenario);
  const Scenario& scenario = question.scenario;
  ExplanationReport report;
  report.trace = scenario.workload->name;
  report.cluster = scenario.cluster.name;
  report.workers = scenario.workers;
  report.bandwidth = scenario.cluster.nic.bandwidth;
  report.nic_latency = scenario.cluster.nic.latency;
  report.explanation = explain(scenario, estimator);
  report.basis = question.assumptions.basis;
  for (const WhatIfEffect& effect : question.what_ifs) {
    report.basis.push_back("asked: what if " + effect.text);
  }
  report.warnings = scenario.workload->warnings;
  const std::vector<std::string> idle = warnings_of(question.what_ifs);
  report.warnings.insert(report.warnings.end(), idle.begin(), idle.end());
  if (question.compressor) {
    report.compressor = question.compressor->spelling;
    const auto& more = question.compressor->warnings;
    report.warnings.insert(report.warnings.end(), more.begin(), more.end());
  }
  options.json ? write_json(report, std::cout) : write_text(report, std::cout);
}

}  // namespace

void add_explain_command(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Why an iteration takes as long as it does, and what would make it shorter");
  add_scenario_options(*command, options->scenario);
  command->add_option("--engine", options->engine,
                      "Whose timeline is explained: simgrid (default), recurrence");
  command->add_flag("--json", options->json,
                    "The explanation as one JSON object on standard output");
  command->callback([options] { explain_question(*options); });
}

}  // namespace gradwire
