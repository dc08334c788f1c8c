#include "traces/importers/capture/capture_overview_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <unordered_map>

#include "base/errors.hpp"
#include "base/framed_chunk.hpp"
#include "base/input_file.hpp"
#include "traces/schema/capture.pb.h"

namespace gradwire {
namespace {

constexpr std::string_view kMagic = "\x89GWC\r\n\x1a\n";
constexpr std::size_t kHeadSize = 12;  // magic and version
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kMaxChunk = 16U << 20U;
constexpr std::uint64_t kIterationBegin = 1;  // GW_ITERATION_BEGIN of gradwire_tracer.h

void read_header(const schema::CaptureHeader& header, CaptureOverview& overview) {
  overview.process = header.process();
  overview.host = header.host();
  overview.command = header.command();
  if (header.has_rank()) overview.rank = header.rank();
  for (const schema::CaptureFact& fact : header.facts()) {
    overview.facts.push_back({fact.name(), fact.value()});
  }
}

void read_tally(const schema::CaptureTally& tally, CaptureOverview& overview) {
  overview.dropped_records = tally.dropped_records();
  overview.dropped_events = tally.dropped_events();
  overview.unknown_records = tally.unknown_records();
  overview.lost_buffers = tally.lost_buffers();
  overview.unreturned_buffers = tally.unreturned_buffers();
}

class OverviewReader {
 public:
  void read_chunk(const schema::CaptureChunk& chunk) {
    if (chunk.has_header()) read_header(chunk.header(), overview_);
    for (const schema::DeviceOperation& operation : chunk.operations()) {
      const bool kernel = operation.kind() == schema::DeviceOperation::KERNEL;
      kernel ? ++overview_.kernels : ++overview_.copies;
    }
    for (const schema::HostEvent& event : chunk.events()) {
      read_event(event, chunk.base_time_ns() + event.time_ns());
    }
    for (const schema::CaptureSpan& span : chunk.spans()) {
      if (span.kind() != schema::CaptureSpan::OVERHEAD) continue;
      ++overview_.overheads;
      overview_.overhead += Nanoseconds{span.duration_ns()};
    }
    if (chunk.has_tally()) read_tally(chunk.tally(), overview_);
    overview_.closed = overview_.closed || chunk.closing();
  }

  CaptureOverview take() { return std::move(overview_); }

 private:
  void read_event(const schema::HostEvent& event, std::int64_t time_ns) {
    if (event.kind() == schema::HostEvent::FACT) {
      overview_.facts.push_back({event.text(), event.payload()});
    }
    if (event.kind() != schema::HostEvent::MARK) return;
    ++overview_.marks;
    if (event.id() != kIterationBegin) return;
    ++overview_.iteration_begins;
    const auto [last, first] = begins_.try_emplace(event.thread(), time_ns);
    if (first) return;
    overview_.iterations.emplace_back(time_ns - last->second);
    last->second = time_ns;
  }

  CaptureOverview overview_;
  std::unordered_map<std::uint64_t, std::int64_t> begins_;  ///< the last one by thread
};

}  // namespace

CaptureOverview read_capture_overview(const std::filesystem::path& path) {
  std::ifstream file = open_input(path);
  std::string bytes(kHeadSize, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(kHeadSize));
  if (!file || !bytes.starts_with(kMagic) ||
      read_u32(std::string_view(bytes).substr(kMagic.size())) != kVersion) {
    throw InputError(
        fmt::format("{}: byte 0: not a capture (.gwc) of version {}", path.string(), kVersion));
  }
  OverviewReader reader;
  schema::CaptureChunk chunk;
  for (;;) {
    bytes.resize(FramedChunk::kFrameSize);
    if (!file.read(bytes.data(), FramedChunk::kFrameSize)) break;
    const std::size_t length = read_u32(bytes);
    if (length >= kMaxChunk) break;
    bytes.resize(FramedChunk::kFrameSize + length);
    file.read(bytes.data() + FramedChunk::kFrameSize, static_cast<std::streamsize>(length));
    if (!file) break;
    const FramedChunk framed = framed_chunk_at(bytes, 0);
    if (framed.state != ChunkState::kWhole ||
        !chunk.ParseFromArray(framed.payload.data(), static_cast<int>(framed.payload.size()))) {
      break;
    }
    reader.read_chunk(chunk);
  }
  return reader.take();
}

}  // namespace gradwire
