#include "simulator/report/perfetto_timeline.hpp"

#include <fmt/format.h>

#include <ostream>
#include <set>
#include <string>

#include "simulator/report/json_writer.hpp"
#include "simulator/report/timeline_slices.hpp"

namespace gradwire {
namespace {

using Kind = TimelineSlice::Kind;

int thread_of(Activity track) { return track == Activity::kCompute ? 1 : 2; }

/// Microseconds with three decimals: whole nanoseconds.
std::string microseconds(Nanoseconds time) {
  return fmt::format("{:.3f}", static_cast<double>(time.count()) / 1e3);
}

std::string microseconds(Seconds time) { return microseconds(to_nanoseconds(time)); }

void write_metadata(JsonWriter& json, const char* what, int rank, int thread,
                    const std::string& name) {
  json.begin_object(JsonLayout::kOneLine).member("ph", "M").member("name", what);
  json.member("pid", rank).member("tid", thread).key("ts").number_text("0.000");
  json.key("args").begin_object().member("name", name).end_object().end_object();
}

void write_sort_index(JsonWriter& json, const char* what, int rank, int thread, int index) {
  json.begin_object(JsonLayout::kOneLine).member("ph", "M").member("name", what);
  json.member("pid", rank).member("tid", thread).key("ts").number_text("0.000");
  json.key("args").begin_object().member("sort_index", index).end_object().end_object();
}

void write_tracks(JsonWriter& json, int rank) {
  write_metadata(json, "process_name", rank, 0, fmt::format("rank {}", rank));
  write_sort_index(json, "process_sort_index", rank, 0, rank);
  for (const Activity track : {Activity::kCompute, Activity::kCommunication}) {
    const int thread = thread_of(track);
    write_metadata(json, "thread_name", rank, thread,
                   track == Activity::kCompute ? "compute" : "communication");
    write_sort_index(json, "thread_sort_index", rank, thread, thread);
  }
}

std::string name_of(const TimelineSlice& slice) {
  if (slice.kind == Kind::kMerged) return fmt::format("{} short slices", slice.merged);
  if (slice.kind == Kind::kWaiting) return "waiting for other ranks";
  return slice.interval->label;
}

const char* category_of(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
      return "compute";
    case Kind::kCommunication:
      return "communication";
    case Kind::kWaiting:
      return "waiting";
    case Kind::kMerged:
      break;
  }
  return "merged";
}

void write_args(JsonWriter& json, const TimelineSlice& slice) {
  json.key("args").begin_object();
  if (slice.kind == Kind::kMerged) {
    json.member("slices", slice.merged).end_object();
    return;
  }
  const Interval& interval = *slice.interval;
  json.member("op", interval.op).member("label", interval.label);
  if (track_of(interval.activity) == Activity::kCompute) {
    json.key("work_us").number_text(microseconds(interval.work));
  } else {
    json.key("waiting_us").number_text(microseconds(interval.waiting));
    json.key("latency_us").number_text(microseconds(interval.latency));
  }
  json.end_object();
}

void write_slice(JsonWriter& json, const TimelineSlice& slice) {
  json.begin_object(JsonLayout::kOneLine).member("ph", "X").member("name", name_of(slice));
  json.member("cat", category_of(slice.kind));
  json.member("pid", slice.rank).member("tid", thread_of(slice.track));
  json.key("ts").number_text(microseconds(slice.start));
  json.key("dur").number_text(microseconds(slice.end - slice.start));
  write_args(json, slice);
  json.end_object();
}

}  // namespace

void write_perfetto_timeline(const Timeline& timeline, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().member("displayTimeUnit", "ms");
  json.key("otherData").begin_object(JsonLayout::kOneLine);
  json.member("workers", timeline.workers).member("last_rank", timeline.last_rank);
  json.key("end_us").number_text(microseconds(timeline.end));
  json.end_object();
  json.key("traceEvents").begin_array();
  std::set<int> ranks;
  for (const Interval& interval : timeline.intervals) ranks.insert(interval.rank);
  for (const int rank : ranks) write_tracks(json, rank);
  for (const TimelineSlice& slice : make_timeline_slices(timeline, kMaxTimelineSlices)) {
    write_slice(json, slice);
  }
  json.end_array().end_object();
}

}  // namespace gradwire
