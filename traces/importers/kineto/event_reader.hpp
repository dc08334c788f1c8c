#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/importers/event_splitter.hpp"

namespace gradwire {

/// The outermost fields of one event. Texts are valid until the next `read`; a field that is absent
/// is empty. Numbers are kept as they are written (a string value without its quotes), so that no
/// digit is lost.
struct KinetoEvent {
  std::string_view phase;
  std::string_view category;
  std::string_view name;
  std::string_view time;      ///< "ts", microseconds
  std::string_view duration;  ///< "dur", microseconds
  std::string_view process;
  std::string_view thread;
  std::string_view args;  ///< JSON of the "args" object
  std::uint64_t offset = 0;
  bool bare_value = false;  ///< a bare word that JSON does not know (N/A, NaN) stands as a value
  std::string repaired;  ///< what had to be mended before it could be read; empty for proper JSON
};

/// Parses single events with simdjson.
class EventReader {
 public:
  EventReader();
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  /// Reads `text` into `event`. What is wrong when it is no JSON and cannot be mended; absent when
  /// all went well.
  std::optional<std::string> read(const EventText& text, KinetoEvent& event);

  /// Calls `visit(key, value)` for each member of the event's args; values as they are written,
  /// strings with their quotes, arrays whole if the key begins with "Input " and else as "[". False
  /// when the args are not JSON; members before the fault were visited.
  bool read_args(const KinetoEvent& event,
                 const std::function<void(std::string_view key, std::string_view value)>& visit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The content of a JSON string that holds no escapes, or `text` itself when it is no string.
std::string_view without_quotes(std::string_view text);

}  // namespace gradwire
