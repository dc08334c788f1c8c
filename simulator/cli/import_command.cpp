#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/import_report_text.hpp"
#include "simulator/workload/iteration_choice.hpp"
#include "traces/importers/parameter_list.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

struct ImportCommandOptions {
  std::string file;
  std::string output;
  bool strict = false;
  std::string parameters;
  std::string keep_iterations;
  std::optional<std::int64_t> batch;
  std::string source;
  std::string licence;
};

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The command, as far as it decides on the content; folders are nobody's business.
std::string command_text(const ImportCommandOptions& options) {
  std::string text = "gradwire import " + file_name(options.file);
  if (options.strict) text += " --strict";
  if (!options.parameters.empty()) text += " --parameters " + file_name(options.parameters);
  if (!options.keep_iterations.empty()) text += " --keep-iterations " + options.keep_iterations;
  if (options.batch) text += fmt::format(" --batch {}", *options.batch);
  return text;
}

void set_provenance(const ImportCommandOptions& options, Imported& imported) {
  Provenance& provenance = imported.trace.provenance;
  if (imported.report.format != "gwt") {
    provenance.made_by = fmt::format("{} (gradwire " GRADWIRE_VERSION ")", command_text(options));
  }
  if (!options.source.empty()) provenance.source = options.source;
  if (!options.licence.empty()) provenance.licence = options.licence;
}

void import_file(const ImportCommandOptions& options) {
  refuse_overwriting(options.file, options.output);
  refuse_overwriting(options.parameters, options.output);
  check_writable(options.output);
  if (options.batch && *options.batch < 1) {
    throw InputError(
        fmt::format("--batch: {} found; 1 or more samples are accepted", *options.batch));
  }
  Imported imported = import_trace(options.file, {options.strict});
  if (!options.parameters.empty()) {
    apply_parameter_list(read_parameter_list(options.parameters), options.parameters,
                         imported.trace, imported.report);
  }
  set_provenance(options, imported);
  if (options.batch) imported.trace.batch_size = options.batch;
  if (!options.keep_iterations.empty()) {
    imported.trace = keep_chosen_iterations(std::move(imported.trace), options.keep_iterations);
  }
  write_trace(imported.trace, options.output);
  std::error_code error;
  const auto size = std::filesystem::file_size(options.output, error);
  fmt::print(
      std::cout, "{} -> {}{}\n\n{}", options.file, options.output,
      error ? "" : fmt::format(" ({})", format_bytes(Bytes{static_cast<std::int64_t>(size)})),
      import_report_text(imported.report));
}

}  // namespace

void add_import_command(CLI::App& app) {
  auto options = std::make_shared<ImportCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "import", "Turn a profiler's trace into a .gwt file and say what was in it");
  command
      ->add_option("FILE", options->file,
                   "PyTorch profiler trace (Kineto), .json or .json.gz; capture of our tracer, "
                   ".gwc; gradient list, .csv or .json; or a .gwt file")
      ->required();
  command->add_option("-o,--output", options->output, "The .gwt file to write")->required();
  command->add_flag("--strict", options->strict,
                    "Refuse a file of which records are lost, instead of saying so");
  command->add_option("--parameters", options->parameters,
                      "CSV parameter,shape[,dtype] with the sizes that the trace lacks");
  command->add_option("--keep-iterations", options->keep_iterations,
                      "Write these alone: representative, a number as inspect shows it, or 5..14");
  command->add_option("--batch", options->batch,
                      "Samples an iteration on this rank, where the trace does not state it or "
                      "states that of another model it was recorded with");
  command->add_option("--source", options->source,
                      "Where the file comes from, for the provenance; default its name");
  command->add_option("--licence", options->licence, "Its licence, for the provenance");
  command->callback([options] { import_file(*options); });
}

}  // namespace gradwire
