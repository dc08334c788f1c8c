#include "simulator/engine/simgrid/timeline_bytes.hpp"

#include <concepts>

#include "base/byte_codec.hpp"

namespace gradwire {

template <class AnInterval, class Field>
requires std::same_as<std::remove_const_t<AnInterval>, Interval>
void each_field(AnInterval& interval, Field& field) {
  field(interval.rank);
  field(interval.op);
  field(interval.activity);
  field(interval.label);
  field(interval.start);
  field(interval.end);
  field(interval.work);
  field(interval.waiting);
  field(interval.latency);
  field(interval.stalled);
  field(interval.side_stream);
  field(interval.payload);
  field(interval.sent);
}

template <class ATimeline, class Field>
requires std::same_as<std::remove_const_t<ATimeline>, Timeline>
void each_field(ATimeline& timeline, Field& field) {
  field(timeline.workers);
  field(timeline.last_rank);
  field(timeline.end);
  field(timeline.intervals);
}

std::string to_bytes(const Timeline& timeline) {
  ByteWriter writer;
  writer(timeline);
  return writer.take();
}

Timeline timeline_from_bytes(std::string_view bytes) {
  Timeline timeline;
  ByteReader reader(bytes);
  reader(timeline);
  return timeline;
}

}  // namespace gradwire
