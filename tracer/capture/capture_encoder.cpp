#include "tracer/capture/capture_encoder.hpp"

#include <algorithm>

#include "base/crc32c.hpp"
#include "base/utf8.hpp"
#include "tracer/capture/mapped_memory.hpp"
#include "tracer/capture/wire_format.hpp"

// Field numbers are those of traces/schema/capture.proto.
namespace gradwire {
namespace {

std::int64_t distance(std::uint64_t later, std::uint64_t earlier) {
  return static_cast<std::int64_t>(later - earlier);
}

std::uint64_t sign_extended(std::int64_t value) { return static_cast<std::uint64_t>(value); }

void put_extent(WireWriter& to, std::uint32_t field, const Extent& extent) {
  if (extent.x == 0 && extent.y == 0 && extent.z == 0) return;
  unsigned char* const packed = to.begin_message(field);
  to.raw_varint(extent.x);
  to.raw_varint(extent.y);
  to.raw_varint(extent.z);
  to.end_message(packed);
}

void put_optional(WireWriter& to, std::uint32_t field, std::int64_t value) {
  if (value >= 0) to.present_number(field, static_cast<std::uint64_t>(value));
}

std::string_view view(const EventBytes& bytes) {
  return {static_cast<const char*>(bytes.bytes), bytes.size};
}

std::string_view view(const char* text) {
  constexpr std::size_t kMaxText = 4096;
  const std::string_view whole{text == nullptr ? "" : text};
  return whole.substr(0, kMaxText);
}

/// A string field; a byte that is not part of UTF-8 becomes '?', or no parser would take the chunk.
void put_text(WireWriter& to, std::uint32_t field, std::string_view value) {
  if (value.empty()) return;
  unsigned char* const begin = to.begin_message(field);
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t length = utf8_length(value, at);
    if (length == 0) to.raw_byte('?');
    for (std::size_t i = 0; i < length; ++i) to.raw_byte(value[at + i]);
    at += std::max<std::size_t>(length, 1);
  }
  to.end_message(begin);
}

void put_little_endian(unsigned char* to, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    *to++ = static_cast<unsigned char>(value >> shift);
  }
}

}  // namespace

CaptureEncoder::~CaptureEncoder() { unmap_memory(memory_, kMemoryBytes); }

bool CaptureEncoder::open() {
  memory_ = static_cast<unsigned char*>(map_memory(kMemoryBytes));
  return memory_ != nullptr && names_.open();
}

template <class Put>
void CaptureEncoder::append(Put put) {
  WireWriter to(payload() + size_);
  put(to);
  size_ = static_cast<std::size_t>(to.at() - payload());
}

template <class Put>
void CaptureEncoder::append_message(std::uint32_t field, Put put) {
  append([&](WireWriter& to) {
    unsigned char* const message = to.begin_message(field);
    put(to);
    to.end_message(message);
  });
}

std::uint64_t CaptureEncoder::base(std::uint64_t time_ns) {
  if (!has_base_) {
    has_base_ = true;
    base_ns_ = time_ns;
    append([&](WireWriter& to) { to.zigzag(2, static_cast<std::int64_t>(time_ns)); });
  }
  return base_ns_;
}

void CaptureEncoder::put(const CaptureProcess& process, const CaptureOptions& options) {
  append_message(1, [&](WireWriter& to) {
    to.number(1, static_cast<std::uint64_t>(process.process));
    put_text(to, 2, view(process.host));
    put_optional(to, 3, options.rank);
    put_optional(to, 4, options.world_size);
    put_optional(to, 5, options.local_rank);
    put_text(to, 6, process.command.substr(0, 4096));
    for (std::size_t i = 0; i < process.fact_count; ++i) {
      unsigned char* const fact = to.begin_message(7);
      put_text(to, 1, view(process.facts[i].name));
      put_text(to, 2, view(process.facts[i].value));
      to.end_message(fact);
    }
    put_optional(to, 8, options.skip);
    put_optional(to, 9, options.iterations);
  });
}

void CaptureEncoder::put(const DeviceOperation& operation) {
  std::uint32_t name = 0;
  if (operation.kind == OperationKind::kKernel) {
    const CapturedNames::Entry entry = names_.number_of(operation.name);
    name = entry.index;
    if (entry.is_new) {
      append([&](WireWriter& to) { to.present_bytes(3, entry.name); });
    }
  }
  const std::uint64_t from = operation.untimed ? 0 : base(operation.start_ns);
  append_message(4, [&](WireWriter& to) {
    to.number(1, static_cast<std::uint64_t>(operation.kind));
    to.number(2, name);
    if (operation.untimed) {
      to.number(5, 1);
    } else {
      to.zigzag(3, distance(operation.start_ns, from));
      to.number(4, sign_extended(distance(operation.end_ns, operation.start_ns)));
    }
    to.number(6, operation.device);
    to.number(7, operation.context);
    to.number(8, operation.stream);
    to.number(9, operation.correlation);
    put_extent(to, 10, operation.grid);
    put_extent(to, 11, operation.block);
    to.number(12, operation.registers);
    to.number(13, operation.static_shared_bytes);
    to.number(14, operation.dynamic_shared_bytes);
    to.number(15, operation.graph);
    to.number(16, operation.graph_node);
    to.number(17, operation.bytes);
    to.number(18, operation.copy_kind);
  });
}

void CaptureEncoder::put(const HostCall& call) {
  const std::uint64_t from = base(call.start_ns);
  append_message(5, [&](WireWriter& to) {
    to.number(1, call.callback);
    to.number(2, call.driver ? 1 : 0);
    to.zigzag(3, distance(call.start_ns, from));
    to.number(4, sign_extended(distance(call.end_ns, call.start_ns)));
    to.number(5, call.thread);
    to.number(6, call.correlation);
    to.number(7, sign_extended(call.result));
  });
}

void CaptureEncoder::put(const TimedHostEvent& timed) {
  const std::uint64_t from = base(timed.time_ns);
  const HostEvent& event = timed.event;
  append_message(6, [&](WireWriter& to) {
    to.number(1, static_cast<std::uint64_t>(event.kind));
    to.number(2, timed.thread);
    to.zigzag(3, distance(timed.time_ns, from));
    to.number(4, event.id);
    to.number(5, event.value);
    to.number(6, event.domain);
    to.bytes(7, view(event.text));
    to.number(8, event.payload_kind);
    to.bytes(9, view(event.payload));
  });
}

void CaptureEncoder::put(const CaptureSpan& span) {
  const std::uint64_t from = base(span.start_ns);
  append_message(7, [&](WireWriter& to) {
    to.number(1, static_cast<std::uint64_t>(span.kind));
    to.number(2, span.detail);
    to.zigzag(3, distance(span.start_ns, from));
    to.number(4, sign_extended(distance(span.end_ns, span.start_ns)));
    to.number(5, span.stream);
    to.number(6, span.correlation);
  });
}

void CaptureEncoder::put(const CaptureDevice& device) {
  append_message(8, [&](WireWriter& to) {
    to.number(1, device.index);
    put_text(to, 2, view(device.name));
    to.number(3, device.multiprocessors);
    to.number(4, device.memory_bytes);
    to.number(5, device.compute_major);
    to.number(6, device.compute_minor);
  });
}

void CaptureEncoder::put(const CaptureCounts& tally) {
  append_message(9, [&](WireWriter& to) {
    to.number(1, tally.operations);
    to.number(2, tally.calls);
    to.number(3, tally.events);
    to.number(4, tally.dropped_records);
    to.number(5, tally.dropped_events);
    to.number(6, tally.unknown_records);
    to.number(7, tally.lost_buffers);
    to.number(8, tally.unreturned_buffers);
    to.number(9, tally.realtime_ns);
    to.number(10, tally.monotonic_ns);
  });
}

void CaptureEncoder::put_closing() {
  append([](WireWriter& to) { to.number(10, 1); });
}

std::string_view CaptureEncoder::take_frame() {
  const char* const text = reinterpret_cast<const char*>(memory_);
  put_little_endian(memory_, static_cast<std::uint32_t>(size_));
  put_little_endian(memory_ + 4, crc32c({text + kFrameBytes, size_}));
  const std::string_view frame{text, kFrameBytes + size_};
  size_ = 0;
  has_base_ = false;
  return frame;
}

}  // namespace gradwire
