#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/command.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/arrival_skew.hpp"
#include "traces/model/trace_codec.hpp"
#include "traces/model/trace_merge.hpp"

namespace gradwire {
namespace {

struct TraceMergeOptions {
  std::vector<std::string> files;
  std::string output;
};

void print_skews(const MergedTrace& merged) {
  const std::vector<ArrivalSkew> skews = find_arrival_skews(merged.trace);
  if (skews.empty()) return;
  fmt::print(std::cout, "\nFrom the first rank's arrival at a collective to the last one's{}:\n",
             merged.one_clock ? "" : " (the clocks may not compare)");
  for (const ArrivalSkew& skew : skews) {
    fmt::print(std::cout, "  {:<16} {} collectives, median {}, largest {}\n",
               name_of(skew.collective), skew.collectives, format_duration(skew.median),
               format_duration(skew.largest));
  }
}

void merge(const TraceMergeOptions& options) {
  for (const std::string& file : options.files) refuse_overwriting(file, options.output);
  check_writable(options.output);
  std::vector<RankTrace> ranks;
  for (const std::string& file : options.files) {
    ranks.push_back({file, import_trace(file, {}).trace});
  }
  MergedTrace merged = merge_traces(std::move(ranks));
  merged.trace.provenance.made_by += " (gradwire " GRADWIRE_VERSION ")";
  write_trace(merged.trace, options.output);
  fmt::print(std::cout, "{} traces -> {}\n\n", options.files.size(), options.output);
  for (const std::string& note : merged.notes) fmt::print(std::cout, "  {}\n", note);
  print_skews(merged);
}

}  // namespace

void add_trace_merge_command(CLI::App& app) {
  auto options = std::make_shared<TraceMergeOptions>();
  CLI::App* command = app.add_subcommand(
      "trace-merge", "Join the traces of several ranks of one job into one .gwt file");
  command
      ->add_option("TRACE", options->files,
                   "Traces of the ranks, two or more: .gwt, .gwc, or a PyTorch profiler file")
      ->required();
  command->add_option("-o,--output", options->output, "The .gwt file to write")->required();
  command->callback([options] { merge(*options); });
}

}  // namespace gradwire
