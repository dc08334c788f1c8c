#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/interrupt.hpp"
#include "simulator/report/study_report.hpp"
#include "simulator/study/run_study.hpp"

namespace gradwire {
namespace {

struct StudyOptions {
  std::string spec;
  std::string output;
};

void show_progress(std::size_t done, std::size_t cells) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{} of {} cells{}", done, cells, done == cells ? "\n" : "");
  std::fflush(stderr);
}

std::size_t failures(const StudyOutcome& outcome) {
  std::size_t count = 0;
  for (const StudyRow& row : outcome.rows) count += row.failure.empty() ? 0 : 1;
  return count;
}

void run(const StudyOptions& options) {
  const StudySpec spec = read_study(options.spec);
  OutputDirectory directory(options.output);
  const std::string path = options.output + "/results.csv";
  OutputFile csv(path);
  watch_interrupts();
  const StudyOutcome outcome =
      run_study(spec, {show_progress, [] { return interrupt_signal() != 0; }});
  write_study_csv(spec, outcome, csv.stream());
  csv.commit();
  directory.keep();
  write_study_text(spec, outcome, std::cout);
  fmt::print(std::cout, "Written: {}\n", path);
  std::cout.flush();
  if (interrupt_signal() != 0) {
    throw Interrupted(interrupt_signal(),
                      fmt::format("interrupted after {} of {} cells; {} holds those",
                                  outcome.rows.size(), outcome.cells, path));
  }
  if (failures(outcome) > 0) {
    throw IncompleteError(fmt::format("{} of {} cells have no answer; {} says why",
                                      failures(outcome), outcome.cells, path));
  }
}

}  // namespace

void add_study_command(CLI::App& app) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* command =
      app.add_subcommand("study", "Run a grid of questions: traces x workers x networks");
  command->add_option("STUDY", options->spec, "Study as .txtpb (docs/formats/study.md)")
      ->required();
  command->add_option("-o,--output", options->output, "Folder for results.csv; made when missing")
      ->required();
  command->callback([options] { run(*options); });
}

}  // namespace gradwire
