#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/importers/capture/capture_overview.hpp"

namespace gradwire {

/// What tells the processes of one run apart in file names, all different, in the order given:
/// "rank3"; "rank3.4711" (rank and process) where several processes of that rank have kernels, and
/// for those that have none; "4711" without a rank; a number behind it where one process wrote
/// several captures (exec).
std::vector<std::string> capture_labels(const std::vector<CaptureOverview>& captures);

/// "folder/out.gwt" with "rank3": "folder/out.rank3.gwt".
std::filesystem::path labelled_path(const std::filesystem::path& path, const std::string& label);

}  // namespace gradwire
