#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// The iterations that the profiler marked, by start; each number once.
std::vector<IterationMark> marks_of_steps(const ProfileRecords& records);

/// Index of the iteration that holds `instant` of the host; absent when it falls outside all of
/// them.
std::optional<std::int32_t> iteration_at(const std::vector<IterationMark>& marks,
                                         Nanoseconds instant);

/// Sets Kernel::iteration of every linked kernel by its launch, and counts those launched outside
/// all iterations.
void assign_kernels(Trace& trace, ImportReport& report);

/// Fills Trace::backwards, marks iterations that hold no kernels (or, once records were lost, fewer
/// than most) as incomplete, and marks as representative the complete one with the median (lower of
/// two) backward span.
void mark_backwards(Trace& trace, ImportReport& report);

}  // namespace gradwire
