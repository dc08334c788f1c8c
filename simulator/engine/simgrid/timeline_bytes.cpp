#include "simulator/engine/simgrid/timeline_bytes.hpp"

#include <cstring>
#include <type_traits>

#include "base/errors.hpp"

namespace gradwire {
namespace {

template <class T>
void put(std::string& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, const std::string& text) {
  put(out, text.size());
  out += text;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }

  void get(std::string& text) {
    std::size_t size = 0;
    get(size);
    text = take(size);
  }

 private:
  std::string_view take(std::size_t size) {
    GW_CHECK(size <= bytes_.size(), "a child sent fewer bytes than it announced");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

/// Applies `field` to every member of an interval, so that both directions name them once.
template <class IntervalType, class Field>
void each_field(IntervalType& interval, Field field) {
  field(interval.rank);
  field(interval.op);
  field(interval.activity);
  field(interval.label);
  field(interval.start);
  field(interval.end);
  field(interval.work);
  field(interval.waiting);
  field(interval.latency);
  field(interval.side_stream);
}

}  // namespace

std::string to_bytes(const Timeline& timeline) {
  std::string out;
  put(out, timeline.workers);
  put(out, timeline.last_rank);
  put(out, timeline.end);
  put(out, timeline.intervals.size());
  for (const Interval& interval : timeline.intervals) {
    each_field(interval, [&](const auto& value) { put(out, value); });
  }
  return out;
}

Timeline timeline_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  Timeline timeline;
  std::size_t count = 0;
  reader.get(timeline.workers);
  reader.get(timeline.last_rank);
  reader.get(timeline.end);
  reader.get(count);
  for (std::size_t i = 0; i < count; ++i) {
    each_field(timeline.intervals.emplace_back(), [&](auto& value) { reader.get(value); });
  }
  return timeline;
}

}  // namespace gradwire
