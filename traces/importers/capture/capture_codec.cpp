#include "traces/importers/capture/capture_codec.hpp"

#include <fmt/format.h>

#include <istream>
#include <sstream>

#include "base/errors.hpp"
#include "base/framed_chunk.hpp"
#include "base/input_file.hpp"
#include "traces/schema/capture.pb.h"

namespace gradwire {
namespace {

constexpr std::string_view kMagic = "\x89GWC\r\n\x1a\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadSize = 12;  // magic and version
constexpr std::size_t kMaxChunk = 16U << 20U;

/// The chunk's base and an offset from it; a sum that does not fit wraps and is refused with the
/// record by who uses it.
Nanoseconds time_at(std::int64_t base, std::int64_t offset) {
  std::int64_t sum = 0;
  return Nanoseconds{__builtin_add_overflow(base, offset, &sum) ? -1 : sum};
}

CapturedHead decode_head(const schema::CaptureHeader& in) {
  CapturedHead head;
  head.process = in.process();
  head.host = in.host();
  if (in.has_rank()) head.rank = in.rank();
  if (in.has_world_size()) head.world_size = in.world_size();
  if (in.has_local_rank()) head.local_rank = in.local_rank();
  head.command = in.command();
  for (const schema::CaptureFact& fact : in.facts())
    head.facts.emplace_back(fact.name(), fact.value());
  if (in.has_skip_iterations()) head.skip_iterations = in.skip_iterations();
  if (in.has_keep_iterations()) head.keep_iterations = in.keep_iterations();
  return head;
}

template <class Numbers>
std::array<std::uint32_t, 3> decode_extent(const Numbers& numbers) {
  std::array<std::uint32_t, 3> extent{};
  for (int i = 0; i < numbers.size() && i < 3; ++i)
    extent[static_cast<std::size_t>(i)] = numbers.Get(i);
  return extent;
}

CapturedWork decode_work(schema::DeviceOperation::Kind kind) {
  switch (kind) {
    case schema::DeviceOperation::MEMCPY:
      return CapturedWork::kMemcpy;
    case schema::DeviceOperation::MEMCPY_PEER:
      return CapturedWork::kMemcpyPeer;
    case schema::DeviceOperation::MEMSET:
      return CapturedWork::kMemset;
    default:
      return CapturedWork::kKernel;
  }
}

CapturedOperation decode_operation(const schema::DeviceOperation& in, std::int64_t base) {
  CapturedOperation operation;
  operation.kind = decode_work(in.kind());
  operation.name = in.name();
  operation.start = time_at(base, in.start_ns());
  operation.duration = Nanoseconds{in.duration_ns()};
  operation.untimed = in.untimed();
  operation.device = in.device();
  operation.context = in.context();
  operation.stream = in.stream();
  operation.correlation = in.correlation();
  operation.grid = decode_extent(in.grid());
  operation.block = decode_extent(in.block());
  operation.registers = in.registers();
  operation.static_shared_bytes = in.static_shared_bytes();
  operation.dynamic_shared_bytes = in.dynamic_shared_bytes();
  operation.graph = in.graph();
  operation.graph_node = in.graph_node();
  operation.bytes = in.bytes();
  operation.copy_kind = in.copy_kind();
  return operation;
}

CapturedCall decode_call(const schema::HostCall& in, std::int64_t base) {
  CapturedCall call;
  call.callback = in.callback();
  call.driver = in.driver();
  call.start = time_at(base, in.start_ns());
  call.duration = Nanoseconds{in.duration_ns()};
  call.thread = in.thread();
  call.correlation = in.correlation();
  call.result = in.result();
  return call;
}

CapturedEvent decode_event(const schema::HostEvent& in, std::int64_t base) {
  constexpr auto kKinds = static_cast<int>(CapturedEventKind::kUnknown);
  CapturedEvent event;
  const int kind = in.kind();
  event.kind = kind >= 0 && kind < kKinds ? static_cast<CapturedEventKind>(kind)
                                          : CapturedEventKind::kUnknown;
  event.thread = in.thread();
  event.time = time_at(base, in.time_ns());
  event.id = in.id();
  event.value = in.value();
  event.domain = in.domain();
  event.text = in.text();
  event.payload_kind = in.payload_kind();
  event.payload = in.payload();
  return event;
}

CapturedSpan decode_span(const schema::CaptureSpan& in, std::int64_t base) {
  CapturedSpan span;
  span.overhead = in.kind() == schema::CaptureSpan::OVERHEAD;
  span.detail = in.detail();
  span.start = time_at(base, in.start_ns());
  span.duration = Nanoseconds{in.duration_ns()};
  span.stream = in.stream();
  span.correlation = in.correlation();
  return span;
}

CapturedTally decode_tally(const schema::CaptureTally& in) {
  CapturedTally tally;
  tally.operations = in.operations();
  tally.calls = in.calls();
  tally.events = in.events();
  tally.dropped_records = in.dropped_records();
  tally.dropped_events = in.dropped_events();
  tally.unknown_records = in.unknown_records();
  tally.lost_buffers = in.lost_buffers();
  tally.unreturned_buffers = in.unreturned_buffers();
  tally.realtime = Nanoseconds{in.realtime_ns()};
  tally.monotonic = Nanoseconds{in.monotonic_ns()};
  return tally;
}

CapturedChunk decode_chunk(const schema::CaptureChunk& in) {
  const std::int64_t base = in.base_time_ns();
  CapturedChunk chunk;
  if (in.has_header()) chunk.head = decode_head(in.header());
  chunk.names.assign(in.names().begin(), in.names().end());
  chunk.operations.reserve(static_cast<std::size_t>(in.operations_size()));
  for (const auto& item : in.operations()) chunk.operations.push_back(decode_operation(item, base));
  chunk.calls.reserve(static_cast<std::size_t>(in.calls_size()));
  for (const auto& item : in.calls()) chunk.calls.push_back(decode_call(item, base));
  for (const auto& item : in.events()) chunk.events.push_back(decode_event(item, base));
  for (const auto& item : in.spans()) chunk.spans.push_back(decode_span(item, base));
  for (const auto& item : in.devices()) {
    chunk.devices.push_back({item.index(), item.name(), item.multiprocessors(), item.memory_bytes(),
                             item.compute_major(), item.compute_minor()});
  }
  if (in.has_tally()) chunk.tally = decode_tally(in.tally());
  chunk.closing = in.closing();
  return chunk;
}

/// Reads frame after frame; a bad or short last one ends the reading.
class CaptureStream {
 public:
  CaptureStream(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {}

  void read_head() {
    const bool whole = take(kHeadSize);
    if (!whole || !is_capture(buffer_)) {
      refuse("not a capture of gradwire's tracer (.gwc)");
    }
    const std::uint32_t version = read_u32(std::string_view(buffer_).substr(kMagic.size()));
    at_ = kMagic.size();
    if (version != kVersion) {
      refuse(fmt::format("format version {} found; version {} is accepted", version, kVersion));
    }
    at_ = kHeadSize;
  }

  CaptureEnd read_all(const CaptureVisitor& visit) {
    while (!end_.closed && end_.loss.empty() && read_chunk(visit)) {
    }
    return std::move(end_);
  }

 private:
  /// Reads up to `size` more bytes behind those in the buffer; false when fewer are there.
  bool take(std::size_t size) {
    const std::size_t before = buffer_.size();
    buffer_.resize(before + size);
    stream_.read(buffer_.data() + before, static_cast<std::streamsize>(size));
    const auto got = static_cast<std::size_t>(stream_.gcount());
    buffer_.resize(before + got);
    if (stream_.bad()) refuse("reading failed");
    return got == size;
  }

  bool at_end() { return stream_.peek() == std::istream::traits_type::eof(); }

  /// False when nothing is left to read.
  bool read_chunk(const CaptureVisitor& visit) {
    if (at_end()) return false;
    buffer_.clear();
    const bool framed = take(FramedChunk::kFrameSize);
    const std::size_t length = framed ? read_u32(buffer_) : 0;
    if (length >= kMaxChunk) {
      refuse(fmt::format("a chunk of {} bytes; less than {} is accepted", length, kMaxChunk));
    }
    if (!framed || !take(length)) {
      lose("the last chunk is cut off; it was dropped");
      return false;
    }
    const FramedChunk frame = framed_chunk_at(buffer_, 0);
    if (frame.state != ChunkState::kWhole ||
        !chunk_.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size()))) {
      if (!at_end()) refuse("a chunk is damaged (its CRC32C does not fit)");
      lose("the last chunk is damaged; it was dropped");
      return false;
    }
    at_ += buffer_.size();
    end_.closed = chunk_.closing();
    visit(decode_chunk(chunk_));
    if (end_.closed && !at_end()) lose("bytes behind the closing chunk were ignored");
    return true;
  }

  void lose(const std::string& what) { end_.loss = fmt::format("byte {}: {}", at_, what); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: byte {}: {}", name_, at_, what));
  }

  std::istream& stream_;
  std::string name_;
  std::string buffer_;
  schema::CaptureChunk chunk_;  // one for all: it keeps the memory of its records
  std::size_t at_ = 0;
  CaptureEnd end_;
};

CaptureEnd read_stream(std::istream& stream, const std::string& name, const CaptureVisitor& visit) {
  CaptureStream capture(stream, name);
  capture.read_head();
  return capture.read_all(visit);
}

}  // namespace

bool is_capture(std::string_view head) { return head.starts_with(kMagic); }

CaptureEnd read_capture(const std::filesystem::path& path, const CaptureVisitor& visit) {
  std::ifstream stream = open_input(path);
  return read_stream(stream, path.string(), visit);
}

CaptureEnd decode_capture(const std::string& bytes, const std::string& name,
                          const CaptureVisitor& visit) {
  std::istringstream stream(bytes);
  return read_stream(stream, name, visit);
}

}  // namespace gradwire
