#include "simulator/study/workload_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/workload/batch_scaling.hpp"
#include "traces/importers/parameter_list.hpp"

namespace gradwire {
namespace {

[[noreturn]] void refuse(const WorkloadSource& source, std::string_view field,
                         const std::string& what) {
  throw InputError(fmt::format("workload {}: {}: {}",
                               source.name.empty() ? source.trace.string() : source.name, field,
                               what));
}

void check_batch(const WorkloadSource& source, std::string_view field,
                 const std::optional<int>& batch) {
  if (batch && *batch < 1) {
    refuse(source, field,
           fmt::format("{} found; a whole number of samples above 0 is accepted", *batch));
  }
}

void check_time(const WorkloadSource& source, std::string_view field,
                const std::optional<Seconds>& time) {
  if (time && !(*time > Seconds{0} && std::isfinite(time->count()))) {
    refuse(source, field,
           fmt::format("{} found; a time above 0 is accepted", format_duration(*time)));
  }
}

void check_source(const WorkloadSource& source) {
  if (source.trace.empty()) refuse(source, "trace", "none found; the path of a trace is accepted");
  check_batch(source, "recorded_batch", source.recorded_batch);
  check_batch(source, "batch", source.batch);
  check_time(source, "backward", source.backward);
  check_time(source, "backward_low", source.backward_low);
  check_time(source, "backward_high", source.backward_high);
  if (!(source.batch_fixed_share >= 0.0 && source.batch_fixed_share <= 1.0)) {
    refuse(source, "batch_fixed_share",
           fmt::format("{} found; a share from 0 to 1 is accepted", source.batch_fixed_share));
  }
  if (source.batch_fixed_share > 0.0 && (!source.batch || source.backward)) {
    refuse(source, "batch_fixed_share",
           "found where no batch is scaled; it is accepted with `batch` and without `backward`");
  }
  if (!source.backward_source.empty() && !source.backward) {
    refuse(source, "backward_source", "found without `backward`; both or none are accepted");
  }
  const bool band = source.backward_low || source.backward_high;
  if (band == source.band_source.empty()) {
    refuse(source, "band_source",
           band ? "none found; where `backward_low` and `backward_high` come from is needed"
                : "found without `backward_low` or `backward_high`; one of them is needed");
  }
  if (source.backward_low && source.backward_high && *source.backward_low > *source.backward_high) {
    refuse(
        source, "backward_low",
        fmt::format("{} found, above `backward_high` of {}; that or less is accepted",
                    format_duration(*source.backward_low), format_duration(*source.backward_high)));
  }
}

/// Tells `trace` its batch; true when it is the source's word alone.
bool state_batch(const WorkloadSource& source, Trace& trace) {
  if (!source.recorded_batch) return false;
  if (trace.batch_size && *trace.batch_size != *source.recorded_batch) {
    refuse(source, "recorded_batch",
           fmt::format("{} found, but the trace states {}; the same, or none, is accepted",
                       *source.recorded_batch, *trace.batch_size));
  }
  return !std::exchange(trace.batch_size, *source.recorded_batch);
}

/// `workload` at the batch and length that `source` asks for.
Workload transformed(Workload workload, const WorkloadSource& source) {
  if (source.backward) {
    if (source.batch) workload.batch = source.batch;
    return with_backward_time(std::move(workload), *source.backward, source.backward_source);
  }
  if (!source.batch) return workload;
  if (!workload.batch) {
    refuse(source, "recorded_batch",
           fmt::format("none found, and the trace does not state its batch; to scale to a batch of "
                       "{} the recorded one (--recorded-batch) is needed",
                       *source.batch));
  }
  const BatchChange change{*workload.batch, *source.batch, source.batch_fixed_share};
  return scale_to_batch(std::move(workload), change);
}

/// The band that `source` states for a backward pass of length `own`, and `own` itself inside it.
std::optional<ComputeBand> band_of(const WorkloadSource& source, Seconds own) {
  if (!source.backward_low && !source.backward_high) return std::nullopt;
  ComputeBand band;
  for (const std::optional<Seconds>& end : {source.backward_low, source.backward_high}) {
    if (!end) continue;
    band.low_factor = std::min(band.low_factor, *end / own);
    band.high_factor = std::max(band.high_factor, *end / own);
  }
  band.basis =
      fmt::format("the backward pass takes between {} and {}, {} here ({})",
                  format_duration(own * band.low_factor), format_duration(own * band.high_factor),
                  format_duration(own), source.band_source);
  return band;
}

}  // namespace

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

Imported read_trace(const WorkloadSource& source) {
  Imported imported = import_trace(source.trace, {});
  if (!source.parameters.empty()) {
    apply_parameter_list(read_parameter_list(source.parameters), source.parameters.string(),
                         imported.trace, imported.report);
  }
  return imported;
}

Workload read_workload(const std::filesystem::path& path, const std::filesystem::path& parameters,
                       const WorkloadOptions& options) {
  WorkloadSource source;
  source.trace = path;
  source.parameters = parameters;
  return read_workload(source, options);
}

Workload read_workload(const WorkloadSource& source, const WorkloadOptions& options) {
  check_source(source);
  Imported imported = read_trace(source);
  const bool batch_as_given = state_batch(source, imported.trace);
  Workload workload = make_workload(imported.trace, source.trace.string(), options);
  workload.name = source.name.empty() ? trace_name(source.trace) : source.name;
  for (const Defect& defect : imported.report.defects) {
    if (defect.severity != Severity::kDataLoss) continue;
    workload.warnings.push_back(fmt::format("the import lost data: {} ({} times, first: {})",
                                            defect.kind, defect.count, defect.example));
  }
  if (batch_as_given) {
    workload.warnings.push_back(fmt::format(
        "the trace does not state its batch; that of {} is as given", *source.recorded_batch));
  }
  workload = transformed(std::move(workload), source);
  workload.compute_band = band_of(source, workload.backward_span);
  return workload;
}

}  // namespace gradwire
