#include "traces/importers/kineto/kineto_importer.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "traces/importers/byte_source.hpp"
#include "traces/importers/byte_window.hpp"
#include "traces/importers/json_scan.hpp"
#include "traces/importers/kineto/metadata_reader.hpp"
#include "traces/importers/kineto/record_collector.hpp"
#include "traces/importers/profile/profile_interpreter.hpp"

namespace gradwire {
namespace {

ProfileRecords collect(const std::filesystem::path& path, ImportReport& report) {
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
  ProfileRecords records = collector.finish();
  read_metadata(splitter.metadata(), records, report);
  report.format =
      fmt::format("kineto {}, {} times{}", splitter.is_bare_array() ? "event array" : "object",
                  records.decimal_times ? "decimal" : "integer", source.is_gzip() ? ", gzip" : "");
  return records;
}

void require_kernels(const std::filesystem::path& path, const ProfileRecords& records,
                     const ImportReport& report) {
  if (holds_kernels(records)) return;
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

void note_schema(const ProfileRecords& records, ImportReport& report) {
  if (records.schema_version.empty() || records.schema_version == "1") return;
  report.count("schema-unknown", Severity::kWarning,
               fmt::format("schemaVersion is {}; 1 is known", records.schema_version));
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
  ProfileRecords records = collect(path, report);
  if (options.strict) refuse_loss(path, report);
  require_kernels(path, records, report);
  note_schema(records, report);
  imported.trace = interpret_profile(records, report);
  if (options.strict) refuse_loss(path, report);
  Trace& trace = imported.trace;
  trace.provenance.source = path.filename().string();
  trace.provenance.made_by = "gradwire import";
  trace.provenance.left_out = {"CPU operators", "call stacks", "memory events", "flows"};
  return imported;
}

}  // namespace gradwire
