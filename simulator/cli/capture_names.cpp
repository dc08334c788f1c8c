#include "simulator/cli/capture_names.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace gradwire {

std::vector<std::string> capture_labels(const std::vector<CaptureOverview>& captures) {
  std::map<std::int32_t, std::set<std::int64_t>> processes;  // of each rank, those with kernels
  for (const CaptureOverview& capture : captures) {
    if (capture.rank && capture.kernels > 0) processes[*capture.rank].insert(capture.process);
  }
  std::map<std::string, int> used;
  std::vector<std::string> labels;
  for (const CaptureOverview& capture : captures) {
    std::string label = capture.rank ? fmt::format("rank{}", *capture.rank) : "";
    if (!capture.rank || capture.kernels == 0 || processes[*capture.rank].size() > 1) {
      label += fmt::format("{}{}", label.empty() ? "" : ".", capture.process);
    }
    const int count = ++used[label];
    labels.push_back(count == 1 ? label : fmt::format("{}.{}", label, count));
  }
  return labels;
}

std::filesystem::path labelled_path(const std::filesystem::path& path, const std::string& label) {
  std::filesystem::path result = path;
  result.replace_filename(
      fmt::format("{}.{}{}", path.stem().string(), label, path.extension().string()));
  return result;
}

}  // namespace gradwire
