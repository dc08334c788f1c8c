#pragma once

#include "traces/importers/import_report.hpp"
#include "traces/importers/kineto/event_reader.hpp"
#include "traces/importers/profile/name_table.hpp"
#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// Keeps of each event what the importer needs later, and counts what cannot be used.
class RecordCollector {
 public:
  RecordCollector(EventReader& reader, ImportReport& report);

  /// Takes one event that `reader` has just read.
  void take(const KinetoEvent& event);

  /// Everything taken.
  ProfileRecords finish();

 private:
  bool read_span(const KinetoEvent& event, const char* what, HostSpan& span);
  std::int64_t number_of(std::string_view text);
  void take_device(const KinetoEvent& event, KernelCategory category);
  void take_call(const KinetoEvent& event);
  void take_host(const KinetoEvent& event);
  void take_accumulate(const KinetoEvent& event);
  void take_communication(const KinetoEvent& event, std::vector<CommunicationRecord>& into);
  void take_step(const KinetoEvent& event);
  void read_message_field(std::string_view key, std::string_view value, CommunicationArgs& message,
                          bool& any);

  EventReader& reader_;
  ImportReport& report_;
  ProfileRecords records_;
  NameTable kernel_names_;
  NameTable call_names_;
  NameTable text_ids_;
};

}  // namespace gradwire
