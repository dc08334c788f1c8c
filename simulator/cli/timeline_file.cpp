#include "simulator/cli/timeline_file.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "simulator/report/perfetto_timeline.hpp"

namespace gradwire {

CLI::Option* add_timeline_options(CLI::App& command, TimelineOptions& options) {
  CLI::Option* timeline = command.add_option(
      "--timeline", options.path, "Write the simulated timeline for Perfetto to this file");
  command
      .add_option("--timeline-ranks", options.ranks,
                  "Ranks in the timeline beside the one that ends last; default 0")
      ->delimiter(',')
      ->needs(timeline);
  return timeline;
}

TimelineRequest timeline_request(const TimelineOptions& options, int workers) {
  for (const int rank : options.ranks) {
    if (rank < 0 || rank >= workers) {
      throw InputError(
          fmt::format("--timeline-ranks: rank {} found; 0 to {} is accepted", rank, workers - 1));
    }
  }
  return {options.ranks};
}

void check_timeline(const TimelineOptions& options,
                    const std::vector<std::filesystem::path>& inputs) {
  if (!options.wanted()) return;
  for (const std::filesystem::path& input : inputs) refuse_overwriting(input, options.path);
  check_writable(options.path);
}

std::string write_timeline(const TimelineOptions& options, const Scenario& scenario,
                           Timeline timeline, const WorkloadSource& source,
                           std::optional<std::int32_t> iteration) {
  TimelineView view = make_timeline_view(scenario, std::move(timeline));
  view.measured = measured_iteration(read_trace(source).trace, scenario.workload->name, iteration);
  OutputFile file(options.path);
  const TimelineCuts cuts = write_perfetto_timeline(view, file.stream());
  file.commit();
  const std::string cut = describe(cuts);
  return fmt::format("Timeline for ui.perfetto.dev{}: {}{}",
                     view.measured ? ", measured beside simulated" : "", options.path,
                     cut.empty() ? "" : fmt::format(" ({})", cut));
}

}  // namespace gradwire
