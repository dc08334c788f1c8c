#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/validation_page.hpp"
#include "simulator/report/validation_report.hpp"
#include "simulator/validation/play_set.hpp"

namespace gradwire {
namespace {

struct ValidateOptions {
  std::vector<std::string> paths = {"examples/validation"};
  std::string csv;
  std::string html;
};

/// Nothing without a path.
template <class Write>
void write_file(const std::string& path, Write write) {
  if (path.empty()) return;
  OutputFile file(path);
  write(file.stream());
  file.commit();
  fmt::print(std::cout, "Written: {}\n", path);
}

void run(const ValidateOptions& options) {
  for (const std::string& path : {options.csv, options.html}) {
    if (!path.empty()) check_writable(path);
  }
  std::vector<ValidationSet> sets;
  for (const auto& file : validation_files({options.paths.begin(), options.paths.end()})) {
    sets.push_back(read_validation_set(file));
  }
  std::vector<SetOutcome> outcomes;
  std::size_t cases = 0;
  std::size_t failures = 0;
  for (const ValidationSet& set : sets) {
    outcomes.push_back(play_set(set));
    write_validation_text(outcomes.back(), std::cout);
    std::cout.flush();
    cases += outcomes.back().cases.size();
    failures += outcomes.back().failures();
  }
  if (outcomes.size() > 1) write_validation_overview(outcomes, std::cout);
  write_file(options.csv, [&](std::ostream& out) { write_validation_csv(outcomes, out); });
  write_file(options.html, [&](std::ostream& out) { write_validation_page(outcomes, out); });
  if (failures > 0) {
    throw IncompleteError(fmt::format("{} of {} cases were not played", failures, cases));
  }
}

}  // namespace

void add_validate_command(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand(
      "validate", "Predictions beside measurements: how far to believe an answer");
  command->add_option("PATHS", options->paths,
                      "Sets as .txtpb (docs/formats/validation.md), or folders of them; default "
                      "examples/validation");
  command->add_option("--csv", options->csv, "A line a case and model into this file");
  command->add_option("--html", options->html, "All that is printed as a page into this file");
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
