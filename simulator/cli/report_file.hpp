#pragma once

#include <filesystem>
#include <optional>

#include "simulator/study/run_study.hpp"

namespace gradwire {

/// Names of what a study leaves in its folder for `gradwire report`.
inline constexpr const char* kFinishedCells = "finished.cells";
inline constexpr const char* kUnfinishedCells = "unfinished.cells";
inline constexpr const char* kStudyPath = "study.path";

/// Writes the report's page around `cell` (default the likeliest) to `path`, and returns what it is
/// made of (report_json). Throws as make_report_content, and EnvironmentError when `path` cannot be
/// written.
std::string write_report(const StudySpec& spec, const StudyOutcome& outcome,
                         std::optional<std::size_t> cell, const std::filesystem::path& path);

/// Writes the charts as one SVG file each into `folder`, by node, and as PNG where rsvg-convert is.
/// Returns how many of each. Throws EnvironmentError naming the package when node is missing.
struct StaticCharts {
  std::size_t svg = 0;
  std::size_t png = 0;
};
StaticCharts write_static_charts(const std::string& json, const std::filesystem::path& folder);

}  // namespace gradwire
