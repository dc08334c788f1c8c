#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/report_file.hpp"

namespace gradwire {
namespace {

struct ReportOptions {
  std::string folder;
  std::string study;
  std::string output;
  std::string figures;
  std::optional<std::size_t> cell;
};

std::filesystem::path cells_of(const std::filesystem::path& folder) {
  for (const char* name : {kUnfinishedCells, kFinishedCells}) {
    if (std::filesystem::exists(folder / name)) return folder / name;
  }
  throw InputError(
      fmt::format("{}: neither {} nor {} found; the folder of a `gradwire study` is accepted",
                  folder.string(), kFinishedCells, kUnfinishedCells));
}

std::filesystem::path study_of(const ReportOptions& options) {
  if (!options.study.empty()) return options.study;
  const std::filesystem::path note = std::filesystem::path(options.folder) / kStudyPath;
  if (!std::filesystem::exists(note)) {
    throw InputError(fmt::format("{}: not found, so that the study is unknown; --study names it",
                                 note.string()));
  }
  std::string path = read_whole_file(note);
  while (!path.empty() && path.back() == '\n') path.pop_back();
  if (!std::filesystem::exists(path)) {
    throw InputError(
        fmt::format("{}: names {}, which is not there; --study names the study where it is now",
                    note.string(), path));
  }
  return path;
}

void run(const ReportOptions& options) {
  StudySettings settings;
  settings.journal = cells_of(options.folder);
  settings.compute = false;
  const StudySpec spec = read_study(study_of(options));
  const StudyOutcome outcome = run_study(spec, settings, {});
  const std::string path = options.output.empty()
                               ? (std::filesystem::path(options.folder) / "report.html").string()
                               : options.output;
  for (const std::filesystem::path& file : spec.files) refuse_overwriting(file, path);
  refuse_overwriting(*settings.journal, path);
  const std::string json = write_report(spec, outcome, options.cell, path);
  if (outcome.rows.size() < outcome.cells) {
    fmt::print(std::cout, "{} of {} cells are missing.\n", outcome.cells - outcome.rows.size(),
               outcome.cells);
  }
  if (!options.figures.empty()) {
    const StaticCharts charts = write_static_charts(json, options.figures);
    fmt::print(std::cout, "Written: {} charts as SVG and {} as PNG{} in {}\n", charts.svg,
               charts.png,
               charts.png < charts.svg ? " (rsvg-convert is not found; package librsvg2-bin)" : "",
               options.figures);
  }
  fmt::print(std::cout, "Written: {}\n", path);
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "A study's answer as one HTML page with charts");
  command->add_option("DIR", options->folder, "Folder of a study, finished or not")->required();
  command->add_option("--cell", options->cell,
                      "The cell that sweeps and timelines are made around, from 0 in the order of "
                      "results.csv; default "
                      "the one nearest to 64 workers, 10 Gbps and PowerSGD of rank 4");
  command->add_option("--study", options->study,
                      "The study as .txtpb; default what study.path in DIR names");
  command->add_option("-o,--output", options->output, "The page; default report.html in DIR");
  command->add_option("--static", options->figures,
                      "Folder for the charts as SVG (by node) and PNG (by rsvg-convert)");
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
