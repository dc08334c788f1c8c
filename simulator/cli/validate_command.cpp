#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/validation_report.hpp"

namespace gradwire {
namespace {

struct ValidateOptions {
  std::vector<std::string> paths;
  std::string csv;
};

/// A folder stands for the sets in it, by name.
std::vector<std::filesystem::path> set_files(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".txtpb") found.push_back(entry.path());
    }
    if (found.empty()) {
      throw InputError(
          fmt::format("{}: no validation set found; *.txtpb is accepted", path.string()));
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

void run(const ValidateOptions& options) {
  std::vector<ValidationSet> sets;
  for (const std::filesystem::path& file : set_files(options.paths)) {
    sets.push_back(read_validation_set(file));
  }
  if (!options.csv.empty()) check_writable(options.csv);
  std::vector<ValidationResult> results;
  for (const ValidationSet& set : sets) results.push_back(validate(set));
  if (!options.csv.empty()) {
    OutputFile file(options.csv);
    write_validation_csv(results, file.stream());
    file.commit();
  }
  for (const ValidationResult& result : results) write_validation_text(result, std::cout);
  std::cout.flush();
}

}  // namespace

void add_validate_command(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand("validate", "Hold predictions against measured runs");
  command
      ->add_option("SET", options->paths,
                   "Validation sets as .txtpb, or folders of them (examples/validation)")
      ->required();
  command->add_option("--csv", options->csv, "One line a case into this file");
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
