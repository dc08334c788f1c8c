#include "traces/importers/capture/capture_importer.hpp"

#include <fmt/format.h>

#include "base/crc32c.hpp"
#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "traces/importers/capture/capture_codec.hpp"
#include "traces/importers/capture/capture_collector.hpp"
#include "traces/importers/capture/capture_window.hpp"
#include "traces/importers/capture/nccl_calls.hpp"
#include "traces/importers/capture/nvtx_ranges.hpp"
#include "traces/importers/capture/program_marks.hpp"
#include "traces/importers/profile/profile_interpreter.hpp"

namespace gradwire {
namespace {

CollectedCapture collect(const std::filesystem::path& path, ImportReport& report) {
  CaptureCollector collector(report);
  const CaptureEnd end =
      read_capture(path, [&](CapturedChunk&& chunk) { collector.take(std::move(chunk)); });
  if (!end.loss.empty()) report.count("chunk-lost", Severity::kDataLoss, end.loss);
  if (!end.closed) {
    report.count("capture-not-closed", Severity::kDataLoss,
                 "the process ended without closing its capture (by a signal or _exit); what was "
                 "recorded until then was read");
  }
  return collector.finish();
}

constexpr std::string_view kNoKernelsFact = "kernels";  // docs/formats/gwc.md

/// Why the tracer recorded no kernels, as far as the capture tells.
[[noreturn]] void refuse_without_kernels(const std::filesystem::path& path,
                                         const CollectedCapture& capture,
                                         const ImportReport& report) {
  for (const Fact& fact : capture.records.software) {
    if (fact.name != kNoKernelsFact) continue;
    throw InputError(
        fmt::format("{}: no GPU kernels were recorded: {}", path.string(), fact.value));
  }
  for (const Defect& defect : report.defects) {
    if (defect.severity == Severity::kNote) continue;
    throw InputError(fmt::format("{}: no GPU kernels were recorded: {} ({})", path.string(),
                                 defect.example, defect.kind));
  }
  throw InputError(fmt::format(
      "{}: no GPU kernels were recorded (host calls: {}, marks and ranges: {}); a process that "
      "trains on a CUDA device is accepted",
      path.string(), capture.records.calls.size(), capture.events.size()));
}

/// What iterations, backward passes and gradients were found by, in the order of trust.
std::string marks_text(const ProgramMarks& own, bool autograd, const Trace& trace) {
  const bool period = !trace.iterations.empty() && trace.iterations.front().inferred;
  std::string text;
  const auto add = [&text](const std::string& source) {
    text += (text.empty() ? "" : ", ") + source;
  };
  if (own.any()) add(own.made_by.empty() ? "gradwire marks" : own.made_by);
  if (autograd) add("emit_nvtx ranges");
  if (!own.gradients && !autograd && !trace.communications.empty()) add("NCCL launches");
  if (period) add("period of the kernel sequence");
  return text.empty() ? "none" : text;
}

void add_facts(const CollectedCapture& capture, const std::string& marks, Trace& trace) {
  trace.software.push_back({"marks", marks});
  if (!capture.head.host.empty()) {
    // Tells hosts apart for trace-merge and names none.
    trace.software.push_back({"host", fmt::format("{:08x}", crc32c(capture.head.host))});
  }
  if (capture.overhead_spans > 0) {
    trace.software.push_back(
        {"profiler overhead",
         fmt::format("{} in {} spans", format_duration(capture.overhead), capture.overhead_spans)});
  }
}

}  // namespace

std::string_view CaptureImporter::name() const { return "capture"; }

bool CaptureImporter::sniff(std::string_view head) const { return is_capture(head); }

Imported CaptureImporter::read(const std::filesystem::path& path,
                               const ImportOptions& options) const {
  Imported imported;
  ImportReport& report = imported.report;
  report.format = "gwc 1";
  CollectedCapture capture = collect(path, report);
  if (options.strict) refuse_loss(path, report);
  const ProgramMarks own = find_program_marks(capture, report);
  const std::vector<NvtxRange> ranges = find_nvtx_ranges(capture, report);
  const bool autograd = take_autograd_ranges(ranges, capture.records);
  cut_to_window(capture, report);
  if (!holds_kernels(capture.records)) refuse_without_kernels(path, capture, report);
  find_nccl_calls(ranges, capture.records, report);
  Trace& trace = imported.trace;
  trace = interpret_profile(capture.records, report);
  if (options.strict) refuse_loss(path, report);
  add_facts(capture, marks_text(own, autograd, trace), trace);
  trace.provenance.source = path.filename().string();
  trace.provenance.made_by = "gradwire import";
  trace.provenance.left_out = {"launch configurations", "NVTX ranges", "synchronisation",
                               "the command and its host"};
  return imported;
}

}  // namespace gradwire
