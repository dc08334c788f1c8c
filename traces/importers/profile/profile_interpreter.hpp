#pragma once

#include <filesystem>

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// True when the device ran a kernel; copies and memsets alone make no trace.
bool holds_kernels(const ProfileRecords& records);

/// Links kernels to launches, finds iterations, backward passes, gradients and communications, and
/// moves the zero of all times to the earliest one. `records` holds kernels; its lists of names,
/// devices and software go into the trace. Provenance is left to the caller.
Trace interpret_profile(ProfileRecords& records, ImportReport& report);

/// Throws InputError naming `path` when `report` counts a data loss.
void refuse_loss(const std::filesystem::path& path, const ImportReport& report);

}  // namespace gradwire
