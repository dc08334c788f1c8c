#include "simulator/report/perfetto_timeline.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>
#include <set>
#include <string>

#include "simulator/report/json_writer.hpp"
#include "simulator/report/timeline_slices.hpp"

namespace gradwire {
namespace {

using Kind = TimelineSlice::Kind;

struct NamedTrack {
  Track track;
  const char* name;
};

constexpr std::array<NamedTrack, 4> kTracks = {{{Track::kCompute, "compute"},
                                                {Track::kCommunication, "communication"},
                                                {Track::kHost, "host"},
                                                {Track::kSide, "side"}}};

int thread_of(Track track) { return static_cast<int>(track) + 1; }

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

/// Compute and communication always, the others where `used` holds them.
void write_tracks(JsonWriter& json, int rank, const std::set<Track>& used) {
  write_metadata(json, "process_name", rank, 0, fmt::format("rank {}", rank));
  write_sort_index(json, "process_sort_index", rank, 0, rank);
  for (const auto& [track, name] : kTracks) {
    if (track != Track::kCompute && track != Track::kCommunication && used.count(track) == 0) {
      continue;
    }
    const int thread = thread_of(track);
    write_metadata(json, "thread_name", rank, thread, name);
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
    case Kind::kHost:
      return "host";
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
  if (interval.activity != Activity::kCommunication) {
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
  std::set<Track> used;
  for (const Interval& interval : timeline.intervals) {
    ranks.insert(interval.rank);
    used.insert(track_of(interval));
  }
  for (const int rank : ranks) write_tracks(json, rank, used);
  for (const TimelineSlice& slice : make_timeline_slices(timeline, kMaxTimelineSlices)) {
    write_slice(json, slice);
  }
  json.end_array().end_object();
}

}  // namespace gradwire
