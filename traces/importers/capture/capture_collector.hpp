#pragma once

#include <map>
#include <optional>
#include <vector>

#include "traces/importers/capture/capture_records.hpp"
#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/name_table.hpp"
#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// What the chunks of a capture file held, put together.
struct CollectedCapture {
  CapturedHead head;
  ProfileRecords records;             ///< device records, calls and devices; nothing of the events
  std::vector<CapturedEvent> events;  ///< in the order of the file: each thread's own order
  Nanoseconds last{0};                ///< the latest time of all
  std::uint64_t overhead_spans = 0;
  Seconds overhead{0};  ///< the profiler's own cost, as it tells it
};

/// Takes a capture chunk by chunk, and counts what was lost or cannot be used.
class CaptureCollector {
 public:
  explicit CaptureCollector(ImportReport& report) : report_(report) {}

  void take(CapturedChunk&& chunk);

  /// Everything taken. The tally of the last chunk that held one becomes defects of the report.
  CollectedCapture finish();

 private:
  void take_operation(const CapturedOperation& operation);
  void take_call(const CapturedCall& call);
  void take_tally(const CapturedTally& tally);
  void report_tally();
  bool is_possible(const char* what, Nanoseconds start, Nanoseconds duration);

  ImportReport& report_;
  CollectedCapture capture_;
  std::optional<CapturedTally> tally_;
  NameTable kernel_names_;
  NameTable call_names_;
  std::vector<std::uint32_t> names_;  ///< index into the file's names -> ours
  std::map<std::pair<bool, std::uint32_t>, std::uint32_t> calls_;
  std::map<std::uint32_t, CapturedDevice> devices_;
};

}  // namespace gradwire
