#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/interrupt.hpp"
#include "simulator/cli/report_file.hpp"
#include "simulator/cli/timeline_file.hpp"
#include "simulator/report/progress.hpp"
#include "simulator/report/study_report.hpp"
#include "simulator/study/run_study.hpp"
#include "simulator/study/shard_merge.hpp"
#include "simulator/study/study_cell.hpp"

namespace gradwire {
namespace {

struct StudyOptions {
  std::string spec;
  std::string output;
  int jobs = 0;
  int cell_timeout_s = 120;
  std::string shard;
  std::vector<std::string> merge;
  std::size_t cell = 0;
  TimelineOptions timeline;
};

std::size_t failures(const StudyOutcome& outcome) {
  return static_cast<std::size_t>(
      std::count_if(outcome.rows.begin(), outcome.rows.end(),
                    [](const StudyRow& row) { return !row.has_answer(); }));
}

StudySettings settings_of(const StudyOptions& options) {
  StudySettings settings;
  settings.processes =
      options.jobs > 0 ? options.jobs : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  settings.patience = std::chrono::seconds{options.cell_timeout_s};
  settings.merged.assign(options.merge.begin(), options.merge.end());
  std::string journal = kUnfinishedCells;
  if (!options.shard.empty()) {
    if (!options.merge.empty()) throw InputError("--shard: found beside --merge; one is accepted");
    settings.shard = shard_from_text(options.shard);
    journal = file_name_of(settings.shard);
  }
  if (options.merge.empty()) settings.journal = options.output + "/" + journal;
  return settings;
}

/// The shards that failed cells are of, where shards were merged: ", of shards 2/5, 4/5".
std::string failed_shards(const StudySpec& spec, const StudyOutcome& outcome) {
  std::set<std::size_t> failed;
  for (const StudyRow& row : outcome.rows) {
    if (!row.has_answer()) failed.insert(row.key.cell);
  }
  std::vector<std::string> names;
  for (std::size_t index = 1; index <= outcome.merged_shards; ++index) {
    const StudyShard shard{index, outcome.merged_shards};
    const std::vector<std::size_t> cells = cells_of(spec, shard);
    if (std::any_of(cells.begin(), cells.end(),
                    [&](std::size_t cell) { return failed.contains(cell); })) {
      names.push_back(text_of(shard));
    }
  }
  if (names.empty()) return {};
  return fmt::format(", of shard{} {}", names.size() > 1 ? "s" : "", fmt::join(names, ", "));
}

/// Says why a run is no whole one; exit statuses are those of docs/exit-status.md. `path` holds the
/// cells, and `reasons` why some have no answer.
void require_whole(const StudySpec& spec, const StudyOutcome& outcome, const std::string& path,
                   const std::string& reasons) {
  if (interrupt_signal() != 0) {
    throw Interrupted(interrupt_signal(),
                      fmt::format("interrupted after {} of {} cells; {} holds those, and the same "
                                  "command goes on from there",
                                  outcome.rows.size(), outcome.wanted, path));
  }
  if (failures(outcome) > 0) {
    throw IncompleteError(fmt::format("{} of {} cells have no answer{}; {}", failures(outcome),
                                      outcome.wanted, failed_shards(spec, outcome), reasons));
  }
}

/// The timeline of one cell; no other is computed.
void show_cell(const StudyOptions& options) {
  const StudySpec spec = read_study(options.spec);
  check_timeline(options.timeline, spec.files);
  const StudyCell cell = read_study_cell(spec, options.cell);
  EstimatorSettings settings;
  settings.simgrid = simgrid_settings(spec.grids[cell.key.grid]);
  settings.timeline = timeline_request(options.timeline, cell.scenario.workers);
  const IterationResult result = estimate(cell.scenario, cell.estimator, settings);
  const std::string& grid = spec.grids[cell.key.grid].name;
  const std::string& what_if = cell.key.what_if;
  fmt::print(std::cout,
             "Cell {} of {}{}: {}, workers {}, {}, {}{}: {} for the backward pass plus "
             "synchronisation, by {}.\n",
             options.cell, cell_count(spec), grid.empty() ? "" : ", grid " + grid,
             cell.scenario.workload->name, cell.scenario.workers,
             format_bandwidth(cell.scenario.cluster.nic.bandwidth),
             label_of(spec, cell.key.compressor), what_if.empty() ? "" : ", " + what_if,
             format_duration(result.backward_sync), result.estimator);
  fmt::print(std::cout, "{}\n",
             write_timeline(options.timeline, cell.scenario, result.timeline,
                            spec.workloads[cell.key.workload], std::nullopt));
}

void run(const StudyOptions& options) {
  if (options.timeline.wanted()) return show_cell(options);
  if (options.output.empty()) {
    throw InputError("--output: none found; a folder for results.csv is needed");
  }
  const StudySettings settings = settings_of(options);
  const StudySpec spec = read_study(options.spec);
  OutputDirectory directory(options.output);
  const std::string path = options.output + "/results.csv";
  if (options.shard.empty()) check_writable(path);
  watch_interrupts();
  Progress progress("cells");
  const StudyOutcome outcome =
      run_study(spec, settings,
                {[&](std::size_t done, std::size_t cells) { progress.show(done, cells); },
                 [] { return interrupt_signal() != 0; }});
  directory.keep();
  if (outcome.resumed > 0 && options.merge.empty()) {
    fmt::print(std::cout, "{} cells were done before.\n", outcome.resumed);
  }
  if (!options.shard.empty()) {
    write_failures(spec, outcome, std::cout);
    fmt::print(std::cout, "Written: {} ({} of {} cells)\n", settings.journal->string(),
               outcome.rows.size() - failures(outcome), outcome.cells);
    std::cout.flush();
    return require_whole(spec, outcome, settings.journal->string(), "the lines above say why");
  }
  OutputFile csv(path);
  write_study_csv(spec, outcome, csv.stream());
  csv.commit();
  OutputFile assumptions(options.output + "/assumptions.txt");
  write_assumptions(outcome, assumptions.stream());
  assumptions.commit();
  OutputFile note(options.output + "/" + kStudyPath);
  note.stream() << std::filesystem::absolute(options.spec).string() << '\n';
  note.commit();
  write_study_text(spec, outcome, std::cout);
  // More lines than this would push the answer off the screen.
  constexpr std::size_t kShownAssumptions = 30;
  const std::size_t lines = outcome.basis.size() + outcome.warnings.size();
  if (lines <= kShownAssumptions) write_assumptions(outcome, std::cout);
  fmt::print(std::cout, "Written: {} and assumptions.txt ({} lines) beside it\n", path, lines);
  const std::string page = options.output + "/report.html";
  write_report(spec, outcome, std::nullopt, page);
  fmt::print(std::cout, "Report: {}\n", page);
  std::cout.flush();
  require_whole(spec, outcome, path, path + " says why");
  keep_cells(spec, outcome, options.output + "/" + kFinishedCells);
  if (settings.journal) std::filesystem::remove(*settings.journal);
}

}  // namespace

void add_study_command(CLI::App& app) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* command =
      app.add_subcommand("study", "Run grids of questions: workloads x networks x compressors");
  command->add_option("STUDY", options->spec, "Study as .txtpb (docs/formats/study.md)")
      ->required();
  CLI::Option* output =
      command->add_option("-o,--output", options->output,
                          "Folder for results.csv; made when missing; needed but with --cell");
  command
      ->add_option("--jobs", options->jobs,
                   "Processes that compute cells; default one a core. The results are the same")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--cell-timeout", options->cell_timeout_s,
                   "Seconds after which a cell without an answer is given up; default 120")
      ->check(CLI::Range(1, 86400));
  CLI::Option* shard =
      command->add_option("--shard", options->shard,
                          "Only one part of the cells, from 1/5 to 5/5, into shard-1-of-5.cells");
  CLI::Option* merge = command->add_option(
      "--merge", options->merge, "Join the shards instead of computing: their folders or files");
  CLI::Option* cell = command->add_option(
      "--cell", options->cell,
      "Only this cell, from 0 in the order of results.csv, and its timeline instead of results");
  cell->check(CLI::NonNegativeNumber);
  CLI::Option* timeline = add_timeline_options(*command, options->timeline);
  cell->needs(timeline);
  timeline->needs(cell)->excludes(output, shard, merge);
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
