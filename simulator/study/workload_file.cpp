#include "simulator/study/workload_file.hpp"

#include <fmt/format.h>

#include "traces/importers/parameter_list.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {

std::string trace_name(const std::filesystem::path& path) {
  if ((path.filename() == "trace.gwt" || path.filename() == "gradients.csv") &&
      path.has_parent_path()) {
    return std::filesystem::absolute(path).parent_path().filename().string();
  }
  std::filesystem::path name = path.filename();
  for (const char* extension : {".gz", ".gwt", ".json", ".csv", ".trace", ".pt"}) {
    if (name.extension() == extension) name = name.stem();
  }
  return name.string();
}

Workload read_workload(const std::filesystem::path& path, const std::filesystem::path& parameters,
                       const WorkloadOptions& options) {
  Imported imported = import_trace(path, {});
  if (!parameters.empty()) {
    apply_parameter_list(read_parameter_list(parameters), parameters.string(), imported.trace,
                         imported.report);
  }
  Workload workload = make_workload(imported.trace, path.string(), options);
  workload.name = trace_name(path);
  for (const Defect& defect : imported.report.defects) {
    if (defect.severity != Severity::kDataLoss) continue;
    workload.warnings.push_back(fmt::format("the import lost data: {} ({} times, first: {})",
                                            defect.kind, defect.count, defect.example));
  }
  return workload;
}

}  // namespace gradwire
