#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/questions/timeline_view.hpp"
#include "simulator/study/workload_file.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gradwire {

/// The options of a command that writes a timeline.
struct TimelineOptions {
  std::string path;  ///< empty for none
  std::vector<int> ranks = {0};

  bool wanted() const { return !path.empty(); }
};

/// Adds --timeline, which is returned, and --timeline-ranks to `command`.
CLI::Option* add_timeline_options(CLI::App& command, TimelineOptions& options);

/// What to ask an engine for. Throws InputError for a rank that is none of `workers`.
TimelineRequest timeline_request(const TimelineOptions& options, int workers);

/// Refuses, before long work, a timeline that would replace one of `inputs` or cannot be written;
/// nothing where none is wanted.
void check_timeline(const TimelineOptions& options,
                    const std::vector<std::filesystem::path>& inputs);

/// Writes the timeline of `scenario`, whose workload is that of `source`, as `timeline` has it;
/// beside it what the trace recorded of its iteration `iteration` (the representative one when
/// absent) where that communicates. The answer says so in one line.
std::string write_timeline(const TimelineOptions& options, const Scenario& scenario,
                           Timeline timeline, const WorkloadSource& source,
                           std::optional<std::int32_t> iteration);

}  // namespace gradwire
