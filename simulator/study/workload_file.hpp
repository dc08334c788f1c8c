#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "simulator/workload/gradient_schedule.hpp"
#include "simulator/workload/workload.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {

/// A workload as a user asks for it: a trace, and the batch or length of its backward pass.
struct WorkloadSource {
  std::string name;                   ///< stands for it in answers; empty: the trace's
  std::filesystem::path trace;        ///< of any format that import_trace reads
  std::filesystem::path parameters;   ///< CSV with the sizes that the trace lacks; empty for none
  std::optional<int> recorded_batch;  ///< samples a rank and iteration, where the trace is silent
  std::optional<int> batch;           ///< wanted; the times are scaled to it (scale_to_batch)
  double batch_fixed_share = 0.0;     ///< BatchChange::fixed_share; needs `batch`
  /// Length of the backward pass that is asked about: at `batch` where that is there too, which
  /// then scales nothing.
  std::optional<Seconds> backward;
  std::string backward_source;  ///< where `backward` comes from; empty for a user's word
  /// What another source says of the length of the same backward pass (at `batch` where that is
  /// there). One of the two is enough.
  std::optional<Seconds> backward_low;
  std::optional<Seconds> backward_high;
  std::string band_source;  ///< where the band comes from, with its standing; needed with one
};

/// The name that stands for a trace file: its folder's for our shipped `<name>/trace.gwt` and
/// `<name>/gradients.csv`, else the file's without extensions.
std::string trace_name(const std::filesystem::path& path);

/// The source's trace, with the sizes of its parameter list where it has one. Throws as
/// `import_trace`, `read_parameter_list` and `apply_parameter_list`.
Imported read_trace(const WorkloadSource& source);

/// Reads a trace of any known format and makes its workload; what the import lost joins the
/// workload's warnings. `parameters`: CSV with the sizes that the trace lacks; empty for none.
/// Throws as `import_trace`, `read_parameter_list`, `apply_parameter_list` and `make_workload`.
Workload read_workload(const std::filesystem::path& path, const std::filesystem::path& parameters,
                       const WorkloadOptions& options);

/// The same at the batch or length that `source` asks for, with its compute band. Throws InputError
/// besides, naming the field: a batch, time or share outside its range, a batch asked of times
/// whose own batch nobody states, a recorded batch that contradicts the trace's, fields that mean
/// nothing without another.
Workload read_workload(const WorkloadSource& source, const WorkloadOptions& options);

}  // namespace gradwire
