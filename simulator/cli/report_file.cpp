#include "simulator/cli/report_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/child_program.hpp"
#include "simulator/report/report_page.hpp"

namespace gradwire {
std::string write_report(const StudySpec& spec, const StudyOutcome& outcome,
                         std::optional<std::size_t> cell, const std::filesystem::path& path) {
  std::string json = report_json(spec, outcome, make_report_content(spec, outcome, cell));
  OutputFile file(path);
  write_report_page(json, file.stream());
  file.commit();
  return json;
}

StaticCharts write_static_charts(const std::string& json, const std::filesystem::path& folder) {
  OutputDirectory directory(folder);
  const std::filesystem::path script = folder / "charts.js";
  OutputFile file(script);
  write_static_charts_script(json, file.stream());
  file.commit();
  const int status = run_program({"node", script.string(), folder.string()});
  std::filesystem::remove(script);
  if (status == kProgramNotFound) {
    throw EnvironmentError("--static: node draws the charts and is not found; package nodejs");
  }
  if (status != 0) {
    throw EnvironmentError(
        fmt::format("--static: node ended with status {} on the charts' script", status));
  }
  directory.keep();
  std::vector<std::filesystem::path> drawn;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".svg") drawn.push_back(entry.path());
  }
  std::sort(drawn.begin(), drawn.end());
  StaticCharts charts{drawn.size(), 0};
  for (const std::filesystem::path& svg : drawn) {
    std::filesystem::path png = svg;
    png.replace_extension(".png");
    const int made = run_program(
        {"rsvg-convert", "--zoom=2", "--background-color=white", "-o", png.string(), svg.string()});
    if (made == kProgramNotFound) break;
    if (made != 0) {
      throw EnvironmentError(fmt::format("--static: rsvg-convert refuses {}", svg.string()));
    }
    ++charts.png;
  }
  return charts;
}

}  // namespace gradwire
