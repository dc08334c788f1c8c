#pragma once

#include <string>
#include <string_view>

#include "base/units.hpp"
#include "simulator/report/json_writer.hpp"

namespace gradwire {

/// Where an event of the Chrome trace-event format is shown.
struct EventPlace {
  int process = 0;
  int thread = 0;  ///< 0: the process as a whole
};

/// Microseconds with three decimals: whole nanoseconds.
std::string microseconds(Nanoseconds time);

/// Begins an event on one line, with its arguments open: `end_event` after the last of them.
/// `phase` is the format's letter; no category where that is empty.
void begin_event(JsonWriter& json, std::string_view phase, std::string_view name,
                 std::string_view category, EventPlace place, Nanoseconds time);

/// The same for a slice.
void begin_slice(JsonWriter& json, std::string_view name, std::string_view category,
                 EventPlace place, Nanoseconds start, Nanoseconds end);

void end_event(JsonWriter& json);

/// Names a process, or a thread where `place` has one, and puts it at `sort_index` among the
/// others.
void name_place(JsonWriter& json, EventPlace place, std::string_view name, int sort_index);

}  // namespace gradwire
