#include "traces/model/trace_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "base/framed_chunk.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "traces/model/trace_checks.hpp"
#include "traces/model/trace_chunk_codec.hpp"
#include "traces/schema/trace.pb.h"

namespace gradwire {
namespace {

// docs/formats/gwt.md. Integers of the frame are little-endian.
constexpr std::string_view kMagic = "\x89GWT\r\n\x1a\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadSize = 12;  // magic and version
constexpr std::size_t kMaxChunk = 16U << 20U;
constexpr std::size_t kWantedChunk = 4U << 20U;  // a chunk is closed once it is this long

void append_chunk(std::string& out, const schema::Chunk& chunk) {
  const std::string payload = chunk.SerializeAsString();
  GW_CHECK(payload.size() < kMaxChunk, "a chunk outgrew its bound");
  append_framed_chunk(out, payload);
}

/// Reads chunk after chunk; a bad or short last one ends the reading with a sentence in `losses`.
class ChunkReader {
 public:
  ChunkReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  DecodedTrace read_all() {
    while (at_ < bytes_.size() && !totals_ && read_chunk()) {
    }
    if (!totals_ && result_.losses.empty()) lose("the file ends before its closing chunk");
    if (totals_ && at_ < bytes_.size()) {
      lose(fmt::format("{} bytes behind the closing chunk were ignored", bytes_.size() - at_));
    }
    check_totals();
    for (Communication& item : result_.trace.communications) {
      if (item.kernel && *item.kernel >= result_.trace.kernels.size()) item.kernel.reset();
    }
    return std::move(result_);
  }

 private:
  /// False when nothing can be read behind this place.
  bool read_chunk() {
    const FramedChunk framed = framed_chunk_at(bytes_, at_);
    if (framed.length >= kMaxChunk) {
      refuse(
          fmt::format("a chunk of {} bytes; less than {} is accepted", framed.length, kMaxChunk));
    }
    if (framed.state == ChunkState::kCutOff) {
      lose("the last chunk is cut off; it was dropped");
      return false;
    }
    schema::Chunk chunk;
    if (framed.state == ChunkState::kDamaged ||
        !chunk.ParseFromArray(framed.payload.data(), static_cast<int>(framed.payload.size()))) {
      const bool is_last = at_ + framed.framed_size() == bytes_.size();
      if (!is_last) refuse("a chunk is damaged (its CRC32C does not fit)");
      lose("the last chunk is damaged; it was dropped");
      return false;
    }
    decode_chunk(chunk, result_.trace);
    if (chunk.has_totals()) totals_ = chunk.totals();
    at_ += framed.framed_size();
    return true;
  }

  void check_totals() const {
    const Trace& trace = result_.trace;
    if (totals_ && (totals_->kernels() != trace.kernels.size() ||
                    totals_->communications() != trace.communications.size() ||
                    totals_->gradients() != trace.gradients.size())) {
      refuse(fmt::format("the closing chunk counts {} kernels, but {} are there",
                         totals_->kernels(), trace.kernels.size()));
    }
  }

  void lose(const std::string& what) {
    result_.losses.push_back(fmt::format("byte {}: {}", at_, what));
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: byte {}: {}", name_, at_, what));
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = kHeadSize;
  DecodedTrace result_;
  std::optional<schema::Totals> totals_;
};

/// Writes `records` as chunks, each record by `append(record, chunk)`.
template <class Records, class Append>
void append_records(std::string& out, const Records& records, Append append) {
  schema::Chunk chunk;
  std::size_t size = 0;
  for (const auto& record : records) {
    size += append(record, chunk);
    if (size >= kWantedChunk) {
      append_chunk(out, chunk);
      chunk.Clear();
      size = 0;
    }
  }
  if (size > 0) append_chunk(out, chunk);
}

}  // namespace

bool is_gwt(std::string_view head) { return head.starts_with(kMagic); }

std::string encode_trace(const Trace& trace) {
  const std::vector<std::string> defects = find_trace_defects(trace);
  GW_CHECK(defects.empty(), "an invalid trace cannot be written: " + defects.front());
  std::string out{kMagic};
  append_u32(out, kVersion);

  schema::Chunk first;
  encode_head(trace, first);
  append_chunk(out, first);

  const auto append = [](const auto& record, schema::Chunk& chunk) {
    return append_record(record, chunk);
  };
  append_records(out, trace.names, append_name);
  append_records(out, trace.kernels, append);
  append_records(out, trace.communications, append);
  append_records(out, trace.gradients, append);

  schema::Chunk last;
  last.mutable_totals()->set_kernels(trace.kernels.size());
  last.mutable_totals()->set_communications(trace.communications.size());
  last.mutable_totals()->set_gradients(trace.gradients.size());
  append_chunk(out, last);
  return out;
}

void write_trace(const Trace& trace, const std::filesystem::path& path) {
  const std::string bytes = encode_trace(trace);
  OutputFile file(path);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

DecodedTrace decode_trace(std::string_view bytes, const std::string& name) {
  if (!is_gwt(bytes) || bytes.size() < kHeadSize) {
    throw InputError(fmt::format("{}: byte 0: not a gradwire trace (.gwt)", name));
  }
  const std::uint32_t version = read_u32(bytes.substr(kMagic.size()));
  if (version != kVersion) {
    throw InputError(fmt::format("{}: byte {}: format version {} found; version {} is accepted",
                                 name, kMagic.size(), version, kVersion));
  }
  DecodedTrace result = ChunkReader(bytes, name).read_all();
  const std::vector<std::string> defects = find_trace_defects(result.trace);
  if (!defects.empty()) {
    throw InputError(fmt::format("{}: not a valid trace: {}", name, defects.front()));
  }
  return result;
}

DecodedTrace read_trace(const std::filesystem::path& path) {
  return decode_trace(read_whole_file(path), path.string());
}

}  // namespace gradwire
