#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/importers/byte_window.hpp"
#include "traces/importers/import_report.hpp"
#include "traces/importers/json_scan.hpp"

namespace gradwire {

/// One event of a Chrome trace, as text.
struct EventText {
  std::string_view text;
  std::size_t readable = 0;  ///< bytes readable from the start of `text`, padding included
  std::uint64_t offset = 0;  ///< of the first byte in the (unzipped) file
  /// An end of event and a start of event stand inside the text: it is two events grown together by
  /// a lost quote, unless it is valid JSON from end to end.
  bool suspect = false;
};

/// A value that stands beside the events in the top-level object. Values over 1 MiB are not kept.
struct MetadataText {
  std::string key;
  std::string value;
  std::uint64_t offset = 0;
};

/// Cuts a Chrome trace (an object with `traceEvents`, or a bare array) into events, from a fixed
/// window. A bad event costs only itself: after `reject` the next one is looked for from the bad
/// one's start.
class EventSplitter {
 public:
  /// Defects go to `report`.
  EventSplitter(ByteWindow& window, ImportReport& report);

  /// The next event; absent at the end. Its text is valid until the next call.
  std::optional<EventText> next();

  /// The last event was not JSON: counts it as lost, `reason` being what was found.
  void reject(const std::string& reason);

  /// True once a list of events was met.
  bool found_events() const { return found_events_; }
  bool is_bare_array() const { return bare_array_; }
  const std::vector<MetadataText>& metadata() const { return metadata_; }

 private:
  enum class Place { kStart, kKeys, kEvents, kDone };

  std::optional<char> peek(bool skip_commas);
  void start();
  void read_member();
  bool read_key(std::string& key);
  void read_value(const std::string& key);
  std::optional<std::size_t> measure_value();
  std::optional<std::size_t> measure_scalar();
  std::optional<EventText> cut_event();
  std::optional<std::size_t> find_inner_boundary();
  void leave_list();
  void skip_oversized_event(ValueScanner& scanner);
  void skip_element();
  void resume_at_boundary(std::size_t from);
  void resume_metadata();
  void lose_event(const std::string& reason);
  void end_early(const std::string& what);

  ByteWindow& window_;
  ImportReport& report_;
  Place place_ = Place::kStart;
  bool found_events_ = false;
  bool bare_array_ = false;
  std::size_t current_ =
      0;  ///< length of the event handed out last, still at the start of the view
  std::vector<MetadataText> metadata_;
};

}  // namespace gradwire
