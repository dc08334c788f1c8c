#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "simulator/calibration/calibration.hpp"
#include "simulator/calibration/nccl_tests_reader.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/calibration_report.hpp"

namespace gradwire {
namespace {

struct CalibrateOptions {
  std::vector<std::string> files;
  std::string collective;
  int ranks = 0;
  int gpus_per_node = 0;
  std::string placement = "out-of-place";
  std::string output;
  bool json = false;
};

TableClaims claims_of(const CalibrateOptions& options) {
  TableClaims claims;
  if (options.ranks > 0) claims.ranks = options.ranks;
  if (options.gpus_per_node > 0) claims.gpus_per_node = options.gpus_per_node;
  if (options.collective.empty()) return claims;
  claims.kind = collective_from_name(options.collective);
  if (*claims.kind == CollectiveKind::kOpaque) {
    throw InputError(fmt::format(
        "--collective: \"{}\" found; all_reduce, all_gather, reduce_scatter, broadcast, reduce, "
        "all_to_all and send_receive are accepted",
        options.collective));
  }
  return claims;
}

TablePlacement placement_of(const std::string& text) {
  if (text == "out-of-place") return TablePlacement::kOutOfPlace;
  if (text == "in-place") return TablePlacement::kInPlace;
  throw InputError(
      fmt::format("--placement: \"{}\" found; out-of-place and in-place are accepted", text));
}

/// A JSON document opens with a brace, and no table does.
bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

void run(const CalibrateOptions& options) {
  const TableClaims claims = claims_of(options);
  const TablePlacement placement = placement_of(options.placement);
  if (!options.output.empty()) {
    for (const std::string& file : options.files) refuse_overwriting(file, options.output);
    check_writable(options.output);
  }
  std::vector<IdentifiedTable> tables;
  std::vector<IperfRun> runs;
  for (const std::string& file : options.files) {
    const std::string text = read_whole_file(file);
    if (is_json(text)) {
      runs.push_back(read_iperf(text, file));
      continue;
    }
    for (CollectiveTable& table : read_nccl_tests(text, file)) {
      const TableIdentity identity = identify_table(table, claims);
      tables.push_back({std::move(table), identity});
    }
  }
  const Calibration calibration = calibrate(tables, std::move(runs), placement);
  if (!options.output.empty()) {
    OutputFile file(options.output);
    write_calibrated_cluster(calibration, file.stream());
    file.commit();
  }
  if (options.json) {
    write_calibration_json(calibration, std::cout);
  } else {
    write_calibration_text(calibration, std::cout);
  }
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Latency and bandwidth of a network from nccl-tests or iperf3, with residuals");
  command
      ->add_option(
          "FILE", options->files,
          "Outputs of nccl-tests (as printed, or comma-separated), results of iperf3 --json")
      ->required();
  command->add_option("--collective", options->collective,
                      "Of tables that do not say it: all_reduce, all_gather, ...");
  command->add_option("--ranks", options->ranks, "Of tables that do not say it")
      ->check(CLI::Range(2, 1'000'000));
  command
      ->add_option("--gpus-per-node", options->gpus_per_node,
                   "Ranks of a node, of tables that do not list their hosts")
      ->check(CLI::Range(1, 65536));
  command->add_option("--placement", options->placement,
                      "Which half of a row is fitted: out-of-place (default), in-place");
  command->add_option("-o,--output", options->output,
                      "Writes a cluster (.txtpb) that simulate --cluster reads");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
