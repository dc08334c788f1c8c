#include "traces/importers/kineto/kineto_importer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "traces/importers/byte_source.hpp"
#include "traces/importers/byte_window.hpp"
#include "traces/importers/iteration_inference.hpp"
#include "traces/importers/json_scan.hpp"
#include "traces/importers/kineto/backward_finder.hpp"
#include "traces/importers/kineto/communication_finder.hpp"
#include "traces/importers/kineto/gradient_finder.hpp"
#include "traces/importers/kineto/iteration_marks.hpp"
#include "traces/importers/kineto/launch_linker.hpp"
#include "traces/importers/kineto/metadata_reader.hpp"
#include "traces/importers/kineto/parallelism_finder.hpp"
#include "traces/importers/kineto/record_collector.hpp"

namespace gradwire {
namespace {

// Times before 2000-01-01 are not counted from the epoch.
constexpr Nanoseconds kYear2000{std::chrono::seconds{946684800}};

KinetoRecords collect(const std::filesystem::path& path, ImportReport& report) {
  ByteSource source(path);
  ByteWindow window(source);
  EventSplitter splitter(window, report);
  EventReader reader;
  RecordCollector collector(reader, report);
  KinetoEvent event;
  while (const auto text = splitter.next()) {
    if (const auto fault = reader.read(*text, event)) {
      splitter.reject(*fault);
    } else {
      collector.take(event);
    }
  }
  if (const auto& damage = source.damage()) {
    report.count(damage->loses_data ? "gzip-damaged" : "gzip-trailing-bytes",
                 damage->loses_data ? Severity::kDataLoss : Severity::kWarning, damage->text);
  }
  if (!splitter.found_events()) {
    throw InputError(
        fmt::format("{}: is JSON without a traceEvents list; a PyTorch profiler (Kineto) trace or "
                    "a .gwt file is accepted",
                    path.string()));
  }
  KinetoRecords records = collector.finish();
  read_metadata(splitter.metadata(), records, report);
  report.format =
      fmt::format("kineto {}, {} times{}", splitter.is_bare_array() ? "event array" : "object",
                  records.decimal_times ? "decimal" : "integer", source.is_gzip() ? ", gzip" : "");
  return records;
}

void refuse_loss(const std::filesystem::path& path, const ImportReport& report) {
  for (const Defect& defect : report.defects) {
    if (defect.severity != Severity::kDataLoss) continue;
    throw InputError(fmt::format("{}: {} ({}); --strict accepts only traces that lose nothing",
                                 path.string(), defect.example, defect.kind));
  }
}

void require_kernels(const std::filesystem::path& path, const KinetoRecords& records,
                     const ImportReport& report) {
  const bool kernels =
      std::any_of(records.device.begin(), records.device.end(), [](const DeviceRecord& record) {
        return record.kernel.category == KernelCategory::kCompute ||
               record.kernel.category == KernelCategory::kCommunication;
      });
  if (kernels) return;
  if (records.legacy_host_events > 0) {
    throw InputError(fmt::format(
        "{}: no GPU kernels found: the file holds CPU events only, from a PyTorch whose profiler "
        "has no Kineto (Debian's package); traces with CUDA activity are accepted",
        path.string()));
  }
  for (const Defect& defect : report.defects) {
    if (defect.severity != Severity::kDataLoss) continue;
    throw InputError(fmt::format("{}: no GPU kernels found in what is left of the file: {} ({})",
                                 path.string(), defect.example, defect.kind));
  }
  throw InputError(fmt::format(
      "{}: no GPU kernels found among {} events; was CUDA activity enabled in the profiler?",
      path.string(), report.events));
}

/// Device records by start; equal starts keep the order of the file.
void sort_device_records(KinetoRecords& records) {
  std::stable_sort(
      records.device.begin(), records.device.end(),
      [](const DeviceRecord& a, const DeviceRecord& b) { return a.kernel.start < b.kernel.start; });
}

void find_iterations(const KinetoRecords& records, Trace& trace, ImportReport& report) {
  trace.iterations = marks_of_steps(records);
  if (!trace.iterations.empty()) {
    report.iterations_found_by = "profiler step marks";
    return;
  }
  const auto inferred = infer_iterations(trace);
  if (!inferred) {
    report.iterations_found_by = "nothing";
    report.count("no-iterations", Severity::kWarning,
                 "the trace has no ProfilerStep marks and its kernels do not repeat as training "
                 "iterations do");
    return;
  }
  trace.iterations = inferred->marks;
  // What is launched before the first kernel (copies of the batch) belongs to the first iteration.
  Nanoseconds& begin = trace.iterations.front().start;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.launch) begin = std::min(begin, kernel.launch->start);
  }
  Nanoseconds& end = trace.iterations.back().end;
  for (const AccumulateRecord& record : records.accumulates) end = std::max(end, record.span.end);
  report.iterations_found_by =
      inferred->single
          ? "one backward pass: the whole file is one iteration"
          : fmt::format(
                "period of the kernel sequence ({} compute kernels), cut at the largest idle gap",
                inferred->kernels_per_iteration);
}

void note_overlaps(const Trace& trace, ImportReport& report) {
  std::map<std::pair<std::int32_t, StreamId>, Nanoseconds> busy_until;
  for (const Kernel& kernel : trace.kernels) {
    Nanoseconds& until = busy_until[{kernel.device, kernel.stream}];
    if (kernel.start < until) {
      report.count("kernel-overlap", Severity::kNote,
                   fmt::format("records of stream {} overlap on device {}", index_of(kernel.stream),
                               kernel.device));
    }
    until = std::max(until, kernel.end());
  }
}

/// Moves the zero of all times to the earliest one.
void set_zero(const KinetoRecords& records, Trace& trace) {
  Nanoseconds zero = trace.kernels.front().start;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.launch) zero = std::min(zero, kernel.launch->start);
  }
  for (const IterationMark& mark : trace.iterations) zero = std::min(zero, mark.start);
  for (Kernel& kernel : trace.kernels) {
    kernel.start -= zero;
    if (kernel.launch) kernel.launch->start -= zero;
  }
  for (Gradient& gradient : trace.gradients) gradient.ready -= zero;
  for (IterationMark& mark : trace.iterations) {
    mark.start -= zero;
    mark.end -= zero;
  }
  for (BackwardMark& mark : trace.backwards) {
    mark.start -= zero;
    mark.end -= zero;
  }
  if (zero >= kYear2000) {
    trace.base_time = zero;
  } else if (std::int64_t epoch = 0;
             records.base_time_ns.value_or(-1) >= 0 &&
             !__builtin_add_overflow(*records.base_time_ns, zero.count(), &epoch)) {
    trace.base_time = Nanoseconds{epoch};
  }
}

void note_schema(const KinetoRecords& records, ImportReport& report) {
  if (records.schema_version.empty() || records.schema_version == "1") return;
  report.count("schema-unknown", Severity::kWarning,
               fmt::format("schemaVersion is {}; 1 is known", records.schema_version));
}

Trace interpret(KinetoRecords& records, ImportReport& report) {
  sort_device_records(records);
  const std::vector<std::int32_t> launch_of = link_launches(records, report);
  find_backward(records, launch_of, report);
  Trace trace;
  std::vector<std::int32_t> message_of;
  for (const DeviceRecord& record : records.device) {
    trace.kernels.push_back(record.kernel);
    message_of.push_back(record.message);
  }
  trace.names = std::move(records.kernel_names);
  report.kernels_out = trace.kernels.size();
  find_iterations(records, trace, report);
  assign_kernels(trace, report);
  mark_backwards(trace, report);
  find_gradients(records, launch_of, trace, report);
  find_communications(records, launch_of, message_of, trace, report);
  find_parallelism(records, trace);
  note_overlaps(trace, report);
  set_zero(records, trace);
  return trace;
}

}  // namespace

std::string_view KinetoImporter::name() const { return "kineto"; }

bool KinetoImporter::sniff(std::string_view head) const {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t first = skip_space(head, 0);
  return first < head.size() && (head[first] == '{' || head[first] == '[');
}

Imported KinetoImporter::read(const std::filesystem::path& path,
                              const ImportOptions& options) const {
  Imported imported;
  ImportReport& report = imported.report;
  KinetoRecords records = collect(path, report);
  if (options.strict) refuse_loss(path, report);
  require_kernels(path, records, report);
  note_schema(records, report);
  imported.trace = interpret(records, report);
  if (options.strict) refuse_loss(path, report);
  Trace& trace = imported.trace;
  trace.rank = records.rank;
  trace.world_size = records.world_size;
  trace.devices = std::move(records.devices);
  trace.software = std::move(records.software);
  trace.provenance.source = path.filename().string();
  trace.provenance.made_by = "gradwire import";
  trace.provenance.left_out = {"CPU operators", "call stacks", "memory events", "flows"};
  return imported;
}

}  // namespace gradwire
