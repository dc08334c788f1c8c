#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/scenario_options.hpp"
#include "simulator/questions/break_even.hpp"
#include "simulator/questions/break_even_band.hpp"
#include "simulator/report/break_even_report.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

struct BreakEvenOptions {
  ScenarioOptions scenario;
  std::vector<std::string> find;
  double target_efficiency = 0.9;
  std::string baseline = "float32";
  std::string from;
  std::string to;
  bool all = false;
  bool json = false;
};

double parse_value(BreakEvenUnknown unknown, const std::string& text, const char* option) {
  if (unknown == BreakEvenUnknown::kBandwidth) return parse_bandwidth(text, option).count();
  if (unknown == BreakEvenUnknown::kCodec) return parse_duration(text, option).count();
  const std::optional<double> value = number_from<double>(text);
  if (!value) {
    throw InputError(fmt::format("{}: \"{}\" found; a number is accepted for {}", option, text,
                                 name_of(unknown)));
  }
  return *value;
}

/// What is to be found, each once, in the order in which answers show it.
std::vector<BreakEvenUnknown> unknowns_of(const BreakEvenOptions& options) {
  std::vector<BreakEvenUnknown> asked;
  for (const std::string& name : options.find) asked.push_back(break_even_unknown_from_name(name));
  if (asked.empty() && options.all) {
    return {BreakEvenUnknown::kBandwidth, BreakEvenUnknown::kCodec, BreakEvenUnknown::kBatch};
  }
  if (asked.empty()) return break_even_unknowns();
  std::vector<BreakEvenUnknown> ordered;
  for (const BreakEvenUnknown unknown : break_even_unknowns()) {
    if (std::find(asked.begin(), asked.end(), unknown) != asked.end()) ordered.push_back(unknown);
  }
  return ordered;
}

void check_options(const BreakEvenOptions& options, const std::vector<BreakEvenUnknown>& unknowns) {
  if ((!options.from.empty() || !options.to.empty()) && unknowns.size() != 1) {
    throw InputError(
        "--from, --to: found; they are accepted with one --find, whose range they are");
  }
  const ScenarioOptions& scenario = options.scenario;
  const bool times = !scenario.encode_time.empty() || !scenario.decode_time.empty();
  if (options.all) {
    if (!scenario.compressor.empty()) {
      throw InputError("--all and --compressor: both found; one of them is accepted");
    }
    if (times || !scenario.compressor_trace.empty()) {
      throw InputError(
          "--encode-time, --decode-time, --compressor-trace: found with --all; they are one "
          "compressor's");
    }
    if (unknowns == std::vector{BreakEvenUnknown::kRatio}) {
      throw InputError("--all: found with --find ratio, which is asked without a compressor");
    }
  } else if (scenario.compressor.empty() &&
             (times || !scenario.compressor_trace.empty() || !scenario.cost_profile.empty() ||
              !scenario.mode.empty())) {
    throw InputError(
        "--mode, --encode-time, --decode-time, --cost-profile, --compressor-trace: found without "
        "--compressor or --all");
  }
}

/// The question without its compressor, whose costs may be unknown here.
Question uncompressed_question(ScenarioOptions options) {
  options.compressor.clear();
  options.mode.clear();
  options.cost_profile.clear();
  options.compressor_trace.clear();
  options.encode_time.clear();
  options.decode_time.clear();
  return make_question(options);
}

void add_once(std::string line, std::vector<std::string>& lines) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

/// A cost profile that knows a compressor here need not know it at other workers.
struct CostsUnknownThere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Asks `base` of one compressor after the other.
class Asker {
 public:
  Asker(const BreakEvenOptions& options, std::vector<BreakEvenUnknown> unknowns)
      : options_(options),
        unknowns_(std::move(unknowns)),
        question_(uncompressed_question(options.scenario)),
        given_(given_cost(options.scenario)),
        mode_(options.scenario.mode.empty() ? CompressionMode::kSerial
                                            : compression_mode_from_name(options.scenario.mode)) {
    const Scenario& scenario = question_.scenario;
    device_ = scenario.workload->device_name.empty() ? scenario.cluster.device
                                                     : scenario.workload->device_name;
    base_.scenario = scenario;
    base_.target_efficiency = options.target_efficiency;
    if (options.baseline != "float32") base_.baseline = parse_scheme(options.baseline);
  }

  BreakEvenReport ask() {
    BreakEvenReport report;
    const Scenario& scenario = question_.scenario;
    report.trace = scenario.workload->name;
    report.device = device_;
    report.cluster = scenario.cluster.name;
    report.batch = scenario.workload->batch;
    report.workers = scenario.workers;
    report.bandwidth = scenario.cluster.nic.bandwidth;
    report.mode = name_of(mode_);
    report.baseline = options_.baseline;
    report.target_efficiency = options_.target_efficiency;
    report.as_table = options_.all;
    report.basis = question_.assumptions.basis;
    report.warnings = scenario.workload->warnings;
    if (!options_.scenario.compressor.empty()) {
      report.compressors.push_back(ask_of(options_.scenario.compressor, report));
    }
    if (options_.all) ask_of_all(report);
    ask_uncompressed(report);
    refuse_empty(report);
    return report;
  }

 private:
  BreakEvenRange range_of(BreakEvenUnknown unknown) const {
    BreakEvenRange range = default_range(unknown, question_.scenario);
    if (!options_.from.empty()) range.low = parse_value(unknown, options_.from, "--from");
    if (!options_.to.empty()) range.high = parse_value(unknown, options_.to, "--to");
    return range;
  }

  CompressorChoice choose(const std::string& text, const Scenario& scenario) const {
    // A profile for all compressors says nothing of those that have no cost.
    const bool costless = options_.all && parse_scheme(text)->cast_size();
    return choose_compressor(text, scenario, device_, mode_, costless ? GivenCost{} : given_);
  }

  /// With its costs, or with none where nobody knows them here.
  CompressorChoice choose_or_without_costs(const std::string& text,
                                           std::vector<std::string>& unanswered) const {
    const Scenario& scenario = question_.scenario;
    if (given_.encode || given_.decode || given_.timeline) return choose(text, scenario);
    try {
      return choose(text, scenario);
    } catch (const InputError& no_costs) {
      GivenCost none;
      none.encode = none.decode = Seconds{0};
      CompressorChoice choice = choose_compressor(text, scenario, device_, mode_, none);
      choice.standing = "unknown";
      choice.basis.clear();
      unanswered.emplace_back(no_costs.what());
      return choice;
    }
  }

  /// A user's own times are those of the scenario's workers alone, unless each rank decodes one
  /// sum.
  bool knows_other_workers(const Scheme& scheme) const {
    return (!given_.encode && !given_.timeline) ||
           carried_by_all_reduce(scheme.transfers(tensor_shapes(question_.scenario.workload)));
  }

  void answer(const BreakEvenQuestion& question, BreakEvenUnknown unknown, BreakEvenGoal goal,
              std::vector<BreakEven>& answers, std::vector<std::string>& unanswered) const {
    if (auto reason = why_unanswerable(question, unknown, goal)) {
      add_once(std::move(*reason), unanswered);
      return;
    }
    try {
      BreakEven found = find_break_even(question, unknown, goal, range_of(unknown));
      found.band = break_even_band(question, question_.assumptions, found);
      answers.push_back(std::move(found));
    } catch (const CostsUnknownThere& no_costs) {
      add_once(fmt::format("{}: {}", name_of(unknown), no_costs.what()), unanswered);
    }
  }

  CompressorBreakEvens ask_of(const std::string& text, BreakEvenReport& report) const {
    CompressorBreakEvens result;
    const CompressorChoice choice = choose_or_without_costs(text, result.unanswered);
    const Scheme& scheme = *choice.compression.scheme;
    result.spelling = choice.spelling;
    result.wire_bytes = choice.wire_bytes;
    result.ratio = choice.ratio;
    result.standing = choice.standing;
    BreakEvenQuestion question = base_;
    question.scenario.compression = choice.compression;
    question.costs_known = choice.standing != "unknown";
    if (question.costs_known) {
      if (!scheme.cast_size()) {
        result.encode = choice.compression.encode;
        result.decode = choice.compression.decode;
      }
      if (knows_other_workers(scheme)) {
        question.compression_at = [this, text](const Scenario& scenario) {
          try {
            return choose(text, scenario).compression;
          } catch (const InputError& no_costs) {
            throw CostsUnknownThere(no_costs.what());
          }
        };
      }
    }
    for (const BreakEvenUnknown unknown : unknowns_) {
      if (unknown == BreakEvenUnknown::kRatio) continue;
      answer(question, unknown, BreakEvenGoal::kFaster, result.answers, result.unanswered);
      if (options_.all || unknown == BreakEvenUnknown::kCodec) continue;
      answer(question, unknown, BreakEvenGoal::kEfficient, result.answers, result.unanswered);
    }
    if (!options_.all) {
      report.basis.insert(report.basis.end(), choice.basis.begin(), choice.basis.end());
      if (!scheme.cast_size()) report.basis.emplace_back(mode_basis(mode_));
    }
    for (const std::string& warning : choice.warnings) add_once(warning, report.warnings);
    return result;
  }

  void ask_of_all(BreakEvenReport& report) const {
    for (const SchemeEntry& entry : schemes()) {
      const std::string spelling = parse_scheme(entry.name)->spelling();
      if (spelling == "none" || spelling == options_.baseline) continue;
      report.compressors.push_back(ask_of(spelling, report));
    }
    report.basis.emplace_back(mode_basis(mode_));
  }

  void ask_uncompressed(BreakEvenReport& report) const {
    for (const BreakEvenUnknown unknown : unknowns_) {
      if (unknown == BreakEvenUnknown::kCodec) {
        if (report.compressors.empty()) {
          report.unanswered.push_back(*why_unanswerable(base_, unknown, BreakEvenGoal::kFaster));
        }
        continue;
      }
      answer(base_, unknown, BreakEvenGoal::kEfficientUncompressed, report.uncompressed,
             report.unanswered);
      if (unknown == BreakEvenUnknown::kRatio && !report.uncompressed.empty()) {
        explain_ratio(report);
      }
    }
  }

  void explain_ratio(BreakEvenReport& report) const {
    const BreakEven& found = report.uncompressed.back();
    if (found.unknown != BreakEvenUnknown::kRatio || !found.holds.empty()) return;
    Scenario scenario = question_.scenario;
    scenario.compression.scheme = base_.baseline;
    scenario = with_payload(std::move(scenario), 1.0 / found.range.high);
    report.at_highest_ratio =
        estimate(scenario,
                 links_are_shared(scenario) ? Estimator::kSimgrid : Estimator::kRecurrence)
            .breakdown;
  }

  /// Where nothing at all can be answered, the first reason is the refusal.
  static void refuse_empty(const BreakEvenReport& report) {
    if (!report.uncompressed.empty()) return;
    std::optional<std::string> reason;
    for (const CompressorBreakEvens& compressor : report.compressors) {
      if (!compressor.answers.empty()) return;
      if (!reason && !compressor.unanswered.empty()) reason = compressor.unanswered.front();
    }
    if (!report.unanswered.empty()) reason = report.unanswered.front();
    throw InputError(reason.value_or("--find: nothing found to ask"));
  }

  const BreakEvenOptions& options_;
  std::vector<BreakEvenUnknown> unknowns_;
  Question question_;
  GivenCost given_;
  CompressionMode mode_;
  std::string device_;
  BreakEvenQuestion base_;
};

void break_even(const BreakEvenOptions& options) {
  const std::vector<BreakEvenUnknown> unknowns = unknowns_of(options);
  check_options(options, unknowns);
  if (options.baseline != "float32" && options.baseline != "fp16") {
    throw InputError(
        fmt::format("--baseline: \"{}\" found; accepted: float32, fp16", options.baseline));
  }
  const BreakEvenReport report = Asker(options, unknowns).ask();
  options.json ? write_json(report, std::cout) : write_text(report, std::cout);
}

}  // namespace

void add_breakeven_command(CLI::App& app) {
  auto options = std::make_shared<BreakEvenOptions>();
  CLI::App* command = app.add_subcommand(
      "breakeven", "Where a compressor starts or stops to pay, and what an efficiency needs");
  add_scenario_options(*command, options->scenario);
  command
      ->add_option("--find", options->find,
                   "bandwidth, codec (encode and decode time), ratio, batch, workers, compute, or "
                   "several with commas; default all that can be answered")
      ->delimiter(',');
  command->add_option("--target-efficiency", options->target_efficiency,
                      "Backward pass alone over backward plus synchronisation; default 0.9");
  command->add_option("--baseline", options->baseline,
                      "Training without compressor: float32 (default), fp16");
  command->add_option("--from", options->from,
                      "Look from here on: 1Gbps, 1ms, or a number; with one --find");
  command->add_option("--to", options->to, "Look up to here");
  command->add_flag("--all", options->all,
                    "A table of all compressors instead of --compressor; default for bandwidth, "
                    "codec and batch");
  command->add_flag("--json", options->json, "The answers as one JSON object on standard output");
  command->callback([options] { break_even(*options); });
}

}  // namespace gradwire
