#pragma once

#include "traces/importers/capture/capture_collector.hpp"
#include "traces/importers/import_report.hpp"

namespace gradwire {

/// Leaves of `capture.records` what belongs to the iterations that --skip and --iterations asked
/// for, by the marks: a device record belongs where its launch is. Iterations keep their numbers.
/// Does nothing where nothing was asked for; without marks it says so.
void cut_to_window(CollectedCapture& capture, ImportReport& report);

}  // namespace gradwire
