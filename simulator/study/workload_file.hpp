#pragma once

#include <filesystem>
#include <string>

#include "simulator/workload/gradient_schedule.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// The name that stands for a trace file: its folder's for our shipped `<name>/trace.gwt` and
/// `<name>/gradients.csv`, else the file's without extensions.
std::string trace_name(const std::filesystem::path& path);

/// Reads a trace of any known format and makes its workload; what the import lost joins the
/// workload's warnings. `parameters`: CSV with the sizes that the trace lacks; empty for none.
/// Throws as `import_trace`, `read_parameter_list`, `apply_parameter_list` and `make_workload`.
Workload read_workload(const std::filesystem::path& path, const std::filesystem::path& parameters,
                       const WorkloadOptions& options);

}  // namespace gradwire
