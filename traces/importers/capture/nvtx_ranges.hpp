#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/importers/capture/capture_collector.hpp"
#include "traces/importers/import_report.hpp"

namespace gradwire {

/// A range that the program or a library of it put around what a thread does (NVTX).
struct NvtxRange {
  HostSpan span;
  std::string domain;  ///< name; empty for the default one
  std::string text;
  std::uint64_t payload_kind = 0;
  std::string payload;
};

/// The ranges of `events`, by start. Pushed ones nest by thread and domain; one that is not ended
/// ends with the capture.
std::vector<NvtxRange> find_nvtx_ranges(const CollectedCapture& capture, ImportReport& report);

/// Puts what torch.autograd.profiler.emit_nvtx tells of the backward pass and its gradients into
/// `records`, where they hold none yet. True when gradients were found.
bool take_autograd_ranges(const std::vector<NvtxRange>& ranges, ProfileRecords& records);

}  // namespace gradwire
