#include "simulator/report/trace_events.hpp"

#include <fmt/format.h>

namespace gradwire {
namespace {

void begin(JsonWriter& json, std::string_view phase, std::string_view name,
           std::string_view category, EventPlace place, Nanoseconds time) {
  json.begin_object(JsonLayout::kOneLine).member("ph", phase).member("name", name);
  if (!category.empty()) json.member("cat", category);
  json.member("pid", place.process).member("tid", place.thread);
  json.key("ts").number_text(microseconds(time));
}

}  // namespace

std::string microseconds(Nanoseconds time) {
  return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

void begin_event(JsonWriter& json, std::string_view phase, std::string_view name,
                 std::string_view category, EventPlace place, Nanoseconds time) {
  begin(json, phase, name, category, place, time);
  json.key("args").begin_object();
}

void begin_slice(JsonWriter& json, std::string_view name, std::string_view category,
                 EventPlace place, Nanoseconds start, Nanoseconds end) {
  begin(json, "X", name, category, place, start);
  json.key("dur").number_text(microseconds(end - start));
  json.key("args").begin_object();
}

void end_event(JsonWriter& json) { json.end_object().end_object(); }

void name_place(JsonWriter& json, EventPlace place, std::string_view name, int sort_index) {
  const std::string what = place.thread == 0 ? "process" : "thread";
  begin_event(json, "M", what + "_name", {}, place, Nanoseconds{0});
  json.member("name", name);
  end_event(json);
  begin_event(json, "M", what + "_sort_index", {}, place, Nanoseconds{0});
  json.member("sort_index", sort_index);
  end_event(json);
}

}  // namespace gradwire
