#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "base/unit_text.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/trace_summary_report.hpp"
#include "simulator/workload/trace_summary.hpp"
#include "traces/importers/parameter_list.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

struct InspectOptions {
  std::string trace;
  bool json = false;
  std::string parameters;
  std::string first_bucket;
  std::string bucket_cap;
};

void inspect(const InspectOptions& options) {
  BucketCaps caps;
  if (!options.first_bucket.empty()) {
    caps.first = parse_bytes(options.first_bucket, "--first-bucket");
  }
  if (!options.bucket_cap.empty()) caps.rest = parse_bytes(options.bucket_cap, "--bucket-cap");
  Imported imported = import_trace(options.trace, {});
  if (!options.parameters.empty()) {
    apply_parameter_list(read_parameter_list(options.parameters), options.parameters,
                         imported.trace, imported.report);
  }
  const TraceSummary summary = summarise_trace(imported, options.trace, caps);
  options.json ? write_json(summary, std::cout) : write_text(summary, std::cout);
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "What a trace holds, what can be made of it, and what is missing");
  command
      ->add_option(
          "TRACE", options->trace,
          "Trace: .gwt, .gwc, a PyTorch profiler file (.json, .json.gz), or a gradient list (.csv)")
      ->required();
  command->add_flag("--json", options->json, "The same as one JSON object on standard output");
  command->add_option("--parameters", options->parameters,
                      "CSV parameter,shape[,dtype] with the sizes that the trace lacks");
  command->add_option("--first-bucket", options->first_bucket,
                      "DDP's first bucket cap; default 1MiB");
  command->add_option("--bucket-cap", options->bucket_cap, "DDP's bucket cap; default 25MiB");
  command->callback([options] { inspect(*options); });
}

}  // namespace gradwire
