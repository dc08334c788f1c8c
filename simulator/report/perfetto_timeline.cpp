#include "simulator/report/perfetto_timeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/unit_text.hpp"
#include "simulator/report/flow_layout.hpp"
#include "simulator/report/timeline_slices.hpp"
#include "simulator/report/trace_events.hpp"

namespace gradwire {
namespace {

using Kind = TimelineSlice::Kind;

struct NamedTrack {
  Track track;
  const char* name;
};

/// In the order in which a viewer shows them.
constexpr std::array<NamedTrack, 5> kTracks = {{{Track::kCompute, "compute"},
                                                {Track::kEncodeDecode, "encode/decode"},
                                                {Track::kSide, "side"},
                                                {Track::kCommunication, "communication"},
                                                {Track::kHost, "host"}}};
constexpr int kGradientThread = kTracks.size() + 1;

int thread_of(Track track) { return static_cast<int>(track) + 1; }

const char* category_of(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
      return "compute";
    case Kind::kEncode:
      return "encode";
    case Kind::kDecode:
      return "decode";
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

std::string name_of(const TimelineSlice& slice) {
  if (slice.kind == Kind::kMerged) return fmt::format("{} short slices", slice.merged);
  if (slice.kind == Kind::kWaiting) return "waiting for other ranks";
  return slice.interval->label;
}

std::string name_of(const LinkUse& use) {
  const char* direction = use.direction == LinkUse::Direction::kOut ? "out" : "in";
  return use.link == LinkUse::Link::kNic ? fmt::format("node {} NIC {}", use.owner, direction)
                                         : fmt::format("inner link {}", direction);
}

/// Events of one kind in the file's order of time; the kinds in the order in which they come at one
/// time, so that a flow finds the slice it touches begun.
struct Event {
  enum class Kind { kSlice, kMeasuredSlice, kBucket, kGradient, kLink, kFlow };

  Nanoseconds time{0};
  Kind kind = Kind::kSlice;
  std::size_t index = 0;

  auto operator<=>(const Event&) const = default;
};

/// A counter's new value.
struct LinkChange {
  const LinkUse* link = nullptr;
  Nanoseconds time{0};
  BitsPerSecond rate;
};

/// A gradient in the process that shows it.
struct ShownGradient {
  const GradientMark* mark = nullptr;
  int process = 0;
};

/// Writes one view.
class Writer {
 public:
  Writer(const TimelineView& view, const TimelineLimits& limits, JsonWriter& json)
      : view_(view), limits_(limits), json_(json) {
    // Ranks are processes of their own number, so that these are free.
    link_process_ = view.simulated.workers;
    measured_process_ = view.simulated.workers + 1;
  }

  TimelineCuts write() {
    take_slices(view_.simulated, Event::Kind::kSlice, slices_);
    if (view_.measured) {
      take_slices(view_.measured->timeline, Event::Kind::kMeasuredSlice, measured_slices_);
    }
    take_marks();
    take_links();
    std::sort(events_.begin(), events_.end());
    json_.begin_object().member("displayTimeUnit", "ms");
    write_facts();
    json_.key("traceEvents").begin_array();
    write_processes();
    for (const Event& event : events_) write_event(event);
    json_.end_array().end_object();
    return cuts_;
  }

 private:
  void add(Nanoseconds time, Event::Kind kind, std::size_t index) {
    events_.push_back({time, kind, index});
  }

  void take_slices(const Timeline& timeline, Event::Kind kind, std::vector<TimelineSlice>& slices) {
    TimelineSlices made = make_timeline_slices(timeline, limits_.slices);
    slices = std::move(made.slices);
    cuts_.merged += made.merged;
    cuts_.merged_below = std::max(cuts_.merged_below, made.shorter_than);
    for (std::size_t i = 0; i < slices.size(); ++i) add(slices[i].start, kind, i);
  }

  /// Gradients, buckets and flows of as many whole ranks as keep inside the limit, measured ones
  /// first.
  void take_marks() {
    std::size_t left = limits_.marks;
    if (view_.measured) {
      if (view_.measured->gradients.size() <= left) {
        left -= view_.measured->gradients.size();
        take_gradients(view_.measured->gradients, measured_process_);
      } else {
        ++cuts_.ranks_without_marks;
      }
    }
    std::map<int, std::size_t> counts;  // of marks, by rank
    for (const GradientMark& mark : view_.flows.gradients) ++counts[mark.rank];
    for (const BucketFill& fill : view_.flows.buckets) ++counts[fill.rank];
    for (const Flow& flow : view_.flows.flows) {
      const FlowStop& first = flow.front();
      counts[view_.simulated.intervals[first.index].rank] += flow.size();
    }
    int ranks = view_.simulated.workers;
    for (const auto& [rank, count] : counts) {
      if (rank < ranks && count <= left) {
        left -= count;
      } else {
        ranks = std::min(ranks, rank);
        ++cuts_.ranks_without_marks;
      }
    }
    for (const GradientMark& mark : view_.flows.gradients) {
      if (mark.rank < ranks) take_gradient(mark, mark.rank);
    }
    buckets_ = make_bucket_slices(view_.flows, ranks);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      add(buckets_[i].start, Event::Kind::kBucket, i);
    }
    flow_points_ = make_flow_points(view_, slices_, buckets_, ranks);
    for (std::size_t i = 0; i < flow_points_.size(); ++i) {
      add(flow_points_[i].time, Event::Kind::kFlow, i);
    }
  }

  void take_gradient(const GradientMark& mark, int process) {
    add(to_nanoseconds(mark.time), Event::Kind::kGradient, gradients_.size());
    gradients_.push_back({&mark, process});
  }

  void take_gradients(const std::vector<GradientMark>& marks, int process) {
    for (const GradientMark& mark : marks) take_gradient(mark, process);
  }

  void take_links() {
    std::size_t left = limits_.link_changes;
    for (const LinkUse& link : view_.links) {
      const std::size_t most = 2 * link.busy.size() + 1;
      if (most > left) {
        left = 0;
        ++cuts_.links;
        continue;
      }
      left -= most;
      Nanoseconds idle_from{0};
      for (const LinkBusy& busy : link.busy) {
        const Nanoseconds start = to_nanoseconds(busy.start);
        if (start > idle_from) take_change(link, idle_from, {});
        take_change(link, start, busy.rate);
        idle_from = to_nanoseconds(busy.end);
      }
      take_change(link, idle_from, {});
    }
  }

  void take_change(const LinkUse& link, Nanoseconds time, BitsPerSecond rate) {
    add(time, Event::Kind::kLink, changes_.size());
    changes_.push_back({&link, time, rate});
  }

  void write_facts() {
    json_.key("otherData").begin_object(JsonLayout::kOneLine);
    json_.member("workers", view_.simulated.workers).member("last_rank", view_.simulated.last_rank);
    json_.key("end_us").number_text(microseconds(to_nanoseconds(view_.simulated.end)));
    json_.member("merged_slices", cuts_.merged);
    json_.key("merged_below_us").number_text(microseconds(cuts_.merged_below));
    json_.member("ranks_without_marks", cuts_.ranks_without_marks);
    json_.member("links_not_shown", cuts_.links);
    json_.end_object();
  }

  void write_processes() {
    if (view_.measured) {
      const MeasuredIteration& measured = *view_.measured;
      name_place(json_, {measured_process_, 0},
                 fmt::format("measured: {}, rank {}, iteration {}", measured.trace,
                             measured.timeline.last_rank, measured.iteration),
                 0);
      write_tracks(measured.timeline, measured_process_, !measured.gradients.empty());
    }
    std::set<int> ranks;
    for (const Interval& interval : view_.simulated.intervals) ranks.insert(interval.rank);
    for (const int rank : ranks) {
      name_place(json_, {rank, 0}, fmt::format("rank {}", rank), rank + 1);
      write_tracks(view_.simulated, rank, !view_.flows.gradients.empty());
    }
    if (!view_.links.empty()) {
      name_place(json_, {link_process_, 0}, "links between nodes", view_.simulated.workers + 1);
    }
  }

  /// Compute and communication always, the others where `timeline` holds them.
  void write_tracks(const Timeline& timeline, int process, bool gradients) {
    std::set<Track> used = {Track::kCompute, Track::kCommunication};
    for (const Interval& interval : timeline.intervals) used.insert(track_of(interval));
    int place = 1;
    if (gradients) name_place(json_, {process, kGradientThread}, "gradients and buckets", place);
    for (const auto& [track, name] : kTracks) {
      ++place;
      if (used.contains(track)) name_place(json_, {process, thread_of(track)}, name, place);
    }
  }

  void write_event(const Event& event) {
    switch (event.kind) {
      case Event::Kind::kSlice:
        return write_slice(slices_[event.index], slices_[event.index].rank, false);
      case Event::Kind::kMeasuredSlice:
        return write_slice(measured_slices_[event.index], measured_process_, true);
      case Event::Kind::kBucket:
        return write_bucket(buckets_[event.index]);
      case Event::Kind::kGradient:
        return write_gradient(gradients_[event.index]);
      case Event::Kind::kLink:
        return write_change(changes_[event.index]);
      case Event::Kind::kFlow:
        return write_flow_point(flow_points_[event.index]);
    }
  }

  void write_slice(const TimelineSlice& slice, int process, bool measured) {
    begin_slice(json_, name_of(slice), category_of(slice.kind), {process, thread_of(slice.track)},
                slice.start, slice.end);
    if (slice.kind == Kind::kMerged) {
      json_.member("slices", slice.merged);
    } else {
      write_interval(*slice.interval, measured);
    }
    end_event(json_);
  }

  void write_interval(const Interval& interval, bool measured) {
    json_.member("op", interval.op);
    if (!measured) json_.member("label", interval.label);
    if (interval.activity == Activity::kCommunication) {
      if (interval.payload > Bytes{0}) json_.member("payload_bytes", interval.payload.count());
      if (measured) return;  // a trace of one rank does not tell who waits for whom
      json_.member("wire_bytes", interval.sent.count());
      json_.key("waiting_us").number_text(microseconds(to_nanoseconds(interval.waiting)));
      json_.key("latency_us").number_text(microseconds(to_nanoseconds(interval.latency)));
    } else if (!measured) {
      json_.key("work_us").number_text(microseconds(to_nanoseconds(interval.work)));
    }
  }

  void write_bucket(const BucketSlice& slice) {
    begin_slice(json_, fmt::format("bucket {}", slice.fill->bucket), "bucket",
                {slice.fill->rank, kGradientThread}, slice.start, slice.end);
    json_.member("bytes", slice.fill->bytes.count()).member("gradients", slice.fill->gradients);
    if (!slice.fill->last.empty()) json_.member("filled_by", slice.fill->last);
    end_event(json_);
  }

  void write_gradient(const ShownGradient& shown) {
    const GradientMark& mark = *shown.mark;
    // Not begin_event: an instant says besides how far its line reaches.
    begin_event(json_, "i", mark.parameter.empty() ? "gradient" : mark.parameter, "gradient",
                {shown.process, kGradientThread}, to_nanoseconds(mark.time));
    json_.member("bytes", mark.bytes.count()).end_object().member("s", "t").end_object();
  }

  void write_change(const LinkChange& change) {
    const LinkUse& link = *change.link;
    const int process = link.link == LinkUse::Link::kNic ? link_process_ : link.owner;
    begin_event(json_, "C", name_of(link), "link", {process, 0}, change.time);
    json_.key("Gbit/s").number_text(fmt::format("{:.3f}", change.rate.count() / 1e9));
    json_.key(fmt::format("% of {}", format_bandwidth(link.capacity)))
        .number_text(fmt::format("{:.2f}", change.rate.count() / link.capacity.count() * 100.0));
    end_event(json_);
  }

  void write_flow_point(const FlowPoint& point) {
    constexpr std::array<std::string_view, 3> kPhases = {"s", "t", "f"};
    begin_event(json_, kPhases[static_cast<std::size_t>(point.part)], "gradients", "flow",
                {point.rank, point.track ? thread_of(*point.track) : kGradientThread}, point.time);
    json_.end_object().member("id", point.flow).member("bp", "e").end_object();
  }

  const TimelineView& view_;
  const TimelineLimits& limits_;
  JsonWriter& json_;
  int link_process_ = 0;
  int measured_process_ = 0;
  TimelineCuts cuts_;
  std::vector<TimelineSlice> slices_;
  std::vector<TimelineSlice> measured_slices_;
  std::vector<BucketSlice> buckets_;
  std::vector<ShownGradient> gradients_;
  std::vector<LinkChange> changes_;
  std::vector<FlowPoint> flow_points_;
  std::vector<Event> events_;
};

}  // namespace

TimelineCuts write_perfetto_timeline(const TimelineView& view, std::ostream& out,
                                     const TimelineLimits& limits) {
  JsonWriter json(out);
  return Writer(view, limits, json).write();
}

std::string describe(const TimelineCuts& cuts) {
  std::vector<std::string> parts;
  if (cuts.merged > 0) {
    parts.push_back(fmt::format("{} slices shorter than {} are merged with their neighbours",
                                cuts.merged, format_duration(Seconds{cuts.merged_below})));
  }
  if (cuts.ranks_without_marks > 0) {
    parts.push_back(
        fmt::format("gradients and arrows of {} ranks are left out", cuts.ranks_without_marks));
  }
  if (cuts.links > 0) parts.push_back(fmt::format("{} links are left out", cuts.links));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace gradwire
