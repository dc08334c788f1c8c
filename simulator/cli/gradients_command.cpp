#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/number_text.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/accuracy_report.hpp"
#include "simulator/report/progress.hpp"

namespace gradwire {
namespace {

struct GradientsOptions {
  std::vector<std::string> rank_files;
  std::string parameters;
  std::vector<std::string> compressors;
  std::uint64_t seed = 1;
  std::string csv;
};

AccuracyOutcome measure(const RecordedGradients& gradients, const GradientsOptions& options) {
  const std::vector<std::string> spellings =
      options.compressors.empty() ? usual_compressors() : options.compressors;
  for (const std::string& spelling : spellings) check_measurable(spelling);
  AccuracyOutcome outcome{options.seed, check_gradients(gradients), {}};
  Progress progress("exchanges");
  const std::size_t all = spellings.size() * static_cast<std::size_t>(gradients.iterations);
  std::size_t done = 0;
  progress.show(done, all);
  for (const std::string& spelling : spellings) {
    outcome.schemes.push_back(
        measure_accuracy(gradients, spelling, options.seed, [&] { progress.show(++done, all); }));
  }
  return outcome;
}

void run(const GradientsOptions& options) {
  if (!options.csv.empty()) {
    for (const std::string& file : options.rank_files) refuse_overwriting(file, options.csv);
    refuse_overwriting(options.parameters, options.csv);
    check_writable(options.csv);
  }
  const RecordedGradients gradients = open_gradient_dump(
      {options.rank_files.begin(), options.rank_files.end()}, options.parameters);
  const AccuracyOutcome outcome = measure(gradients, options);
  write_accuracy_text(gradients, outcome, std::cout);
  if (options.csv.empty()) return;
  OutputFile file(options.csv);
  write_accuracy_csv(gradients, outcome, file.stream());
  file.commit();
}

/// Empty for what is a seed; CLI11 would take -1 and what is too large for the largest number.
std::string seed_fault(const std::string& text) {
  if (number_from<std::uint64_t>(text)) return {};
  return text + " found; a whole number from 0 to 2^64 - 1 is accepted";
}

}  // namespace

void add_gradients_command(CLI::App& app) {
  auto options = std::make_shared<GradientsOptions>();
  CLI::App* command = app.add_subcommand(
      "gradients", "How far each compressor's result is from the true average of dumped gradients");
  command
      ->add_option("RANK.npy", options->rank_files,
                   "Gradients of one rank, float32 or float16, a row an iteration; one file a rank "
                   "(docs/formats/gradients.md)")
      ->required();
  command
      ->add_option("--parameters", options->parameters,
                   "CSV parameter,shape[,dtype]: the tensors of a row, in its order")
      ->required();
  command
      ->add_option("--compressor", options->compressors,
                   "A scheme such as powersgd:rank=4; may be given several times; default: all "
                   "that can be run, with usual parameters")
      ->allow_extra_args(false);
  command
      ->add_option("--seed", options->seed,
                   "Of the random numbers that all ranks share or draw; default 1")
      ->check(CLI::Validator(seed_fault, ""));
  command->add_option("--csv", options->csv, "A line a scheme into this file");
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
