#include "traces/model/trace_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/crc32c.hpp"
#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "traces/model/trace_checks.hpp"
#include "traces/schema/trace.pb.h"

namespace gradwire {
namespace {

// docs/formats/gwt.md. Integers of the frame are little-endian.
constexpr std::string_view kMagic = "\x89GWT\r\n\x1a\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadSize = 12;       // magic and version
constexpr std::size_t kFrameSize = 8;       // length and CRC32C of a chunk
constexpr std::size_t kMaxChunk = 16U << 20U;
constexpr std::size_t kRecordsPerChunk = 65536;  // some 5 MiB a chunk

void append_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<char>((value >> shift) & 0xFFU));
  }
}

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8U * i);
  }
  return value;
}

void append_chunk(std::string& out, const schema::Chunk& chunk) {
  const std::string payload = chunk.SerializeAsString();
  GW_CHECK(payload.size() < kMaxChunk, "a chunk outgrew its bound");
  append_u32(out, static_cast<std::uint32_t>(payload.size()));
  append_u32(out, crc32c(payload));
  out += payload;
}

schema::KernelCategory encode_category(KernelCategory category) {
  switch (category) {
    case KernelCategory::kCompute:
      return schema::KERNEL_CATEGORY_COMPUTE;
    case KernelCategory::kCommunication:
      return schema::KERNEL_CATEGORY_COMMUNICATION;
    case KernelCategory::kMemcpy:
      return schema::KERNEL_CATEGORY_MEMCPY;
    case KernelCategory::kMemset:
      return schema::KERNEL_CATEGORY_MEMSET;
  }
  return schema::KERNEL_CATEGORY_UNSPECIFIED;
}

KernelCategory decode_category(schema::KernelCategory category) {
  switch (category) {
    case schema::KERNEL_CATEGORY_COMMUNICATION:
      return KernelCategory::kCommunication;
    case schema::KERNEL_CATEGORY_MEMCPY:
      return KernelCategory::kMemcpy;
    case schema::KERNEL_CATEGORY_MEMSET:
      return KernelCategory::kMemset;
    default:
      return KernelCategory::kCompute;
  }
}

void encode_header(const Trace& trace, schema::Header& out) {
  out.set_base_time_ns(trace.base_time.count());
  if (trace.rank) out.set_rank(*trace.rank);
  if (trace.world_size) out.set_world_size(*trace.world_size);
  for (const DeviceFacts& device : trace.devices) {
    schema::Device& to = *out.add_devices();
    to.set_index(device.index);
    to.set_name(device.name);
    if (device.multiprocessors) to.set_multiprocessors(*device.multiprocessors);
    if (device.memory) to.set_memory_bytes(device.memory->count());
    to.set_compute_capability(device.compute_capability);
  }
  for (const Fact& fact : trace.software) {
    schema::Fact& to = *out.add_software();
    to.set_name(fact.name);
    to.set_value(fact.value);
  }
  schema::Provenance& provenance = *out.mutable_provenance();
  provenance.set_source(trace.provenance.source);
  provenance.set_licence(trace.provenance.licence);
  provenance.set_made_by(trace.provenance.made_by);
  for (const std::string& item : trace.provenance.left_out) provenance.add_left_out(item);
  for (const Parallelism& item : trace.parallelism) {
    schema::Parallelism& to = *out.add_parallelism();
    to.set_name(item.name);
    to.set_evidence(item.evidence);
  }
}

void decode_header(const schema::Header& in, Trace& trace) {
  trace.base_time = Nanoseconds{in.base_time_ns()};
  if (in.has_rank()) trace.rank = in.rank();
  if (in.has_world_size()) trace.world_size = in.world_size();
  for (const schema::Device& device : in.devices()) {
    DeviceFacts to{device.index(), device.name(), {}, {}, device.compute_capability()};
    if (device.has_multiprocessors()) to.multiprocessors = device.multiprocessors();
    if (device.has_memory_bytes()) to.memory = Bytes{device.memory_bytes()};
    trace.devices.push_back(std::move(to));
  }
  for (const schema::Fact& fact : in.software()) {
    trace.software.push_back({fact.name(), fact.value()});
  }
  trace.provenance = {in.provenance().source(), in.provenance().licence(),
                      in.provenance().made_by(),
                      {in.provenance().left_out().begin(), in.provenance().left_out().end()}};
  for (const schema::Parallelism& item : in.parallelism()) {
    trace.parallelism.push_back({item.name(), item.evidence()});
  }
}

void encode_kernel(const Kernel& kernel, schema::Kernel& out) {
  out.set_name(kernel.name);
  out.set_device(kernel.device);
  out.set_stream(index_of(kernel.stream));
  out.set_category(encode_category(kernel.category));
  out.set_start_ns(kernel.start.count());
  out.set_duration_ns(kernel.duration.count());
  if (kernel.correlation) out.set_correlation(*kernel.correlation);
  if (kernel.launch) {
    out.mutable_launch()->set_start_ns(kernel.launch->start.count());
    out.mutable_launch()->set_duration_ns(kernel.launch->duration.count());
    out.mutable_launch()->set_thread(kernel.launch->thread);
  }
  if (kernel.iteration) out.set_iteration(*kernel.iteration);
  out.set_in_backward(kernel.in_backward);
  out.set_bytes(kernel.bytes.count());
}

Kernel decode_kernel(const schema::Kernel& in) {
  Kernel kernel;
  kernel.name = in.name();
  kernel.device = in.device();
  kernel.stream = StreamId{in.stream()};
  kernel.category = decode_category(in.category());
  kernel.start = Nanoseconds{in.start_ns()};
  kernel.duration = Nanoseconds{in.duration_ns()};
  if (in.has_correlation()) kernel.correlation = in.correlation();
  if (in.has_launch()) {
    kernel.launch = Launch{Nanoseconds{in.launch().start_ns()},
                           Nanoseconds{in.launch().duration_ns()}, in.launch().thread()};
  }
  if (in.has_iteration()) kernel.iteration = in.iteration();
  kernel.in_backward = in.in_backward();
  kernel.bytes = Bytes{in.bytes()};
  return kernel;
}

void encode_communication(const Communication& from, schema::Communication& out) {
  out.set_collective(std::string{name_of(from.collective)});
  if (from.in_elements) out.set_in_elements(from.in_elements->count());
  if (from.out_elements) out.set_out_elements(from.out_elements->count());
  out.set_dtype(std::string{name_of(from.dtype)});
  if (from.group_size) out.set_group_size(*from.group_size);
  if (from.kernel) out.set_kernel(*from.kernel);
  if (from.iteration) out.set_iteration(*from.iteration);
}

Communication decode_communication(const schema::Communication& in) {
  Communication to;
  to.collective = collective_from_name(in.collective());
  if (in.has_in_elements()) to.in_elements = Elements{in.in_elements()};
  if (in.has_out_elements()) to.out_elements = Elements{in.out_elements()};
  to.dtype = dtype_from_name(in.dtype());
  if (in.has_group_size()) to.group_size = in.group_size();
  if (in.has_kernel()) to.kernel = in.kernel();
  if (in.has_iteration()) to.iteration = in.iteration();
  return to;
}

void encode_gradient(const Gradient& from, schema::Gradient& out) {
  out.set_iteration(from.iteration);
  out.set_parameter(from.parameter);
  for (const std::int64_t extent : from.shape) out.add_shape(extent);
  if (from.elements) out.set_elements(from.elements->count());
  out.set_dtype(std::string{name_of(from.dtype)});
  out.set_ready_ns(from.ready.count());
  out.set_device(from.device);
}

Gradient decode_gradient(const schema::Gradient& in) {
  Gradient to;
  to.iteration = in.iteration();
  to.parameter = in.parameter();
  to.shape.assign(in.shape().begin(), in.shape().end());
  if (in.has_elements()) to.elements = Elements{in.elements()};
  to.dtype = dtype_from_name(in.dtype());
  to.ready = Nanoseconds{in.ready_ns()};
  to.device = in.device();
  return to;
}

void encode_marks(const Trace& trace, schema::Chunk& out) {
  for (const IterationMark& mark : trace.iterations) {
    schema::Iteration& to = *out.add_iterations();
    to.set_number(mark.number);
    to.set_start_ns(mark.start.count());
    to.set_end_ns(mark.end.count());
    to.set_representative(mark.representative);
    to.set_inferred(mark.inferred);
    to.set_complete(mark.complete);
  }
  for (const BackwardMark& mark : trace.backwards) {
    schema::Backward& to = *out.add_backwards();
    to.set_iteration(mark.iteration);
    to.set_start_ns(mark.start.count());
    to.set_end_ns(mark.end.count());
  }
}

void decode_chunk(const schema::Chunk& chunk, Trace& trace) {
  if (chunk.has_header()) decode_header(chunk.header(), trace);
  for (const std::string& name : chunk.names()) trace.names.push_back(name);
  for (const schema::Kernel& kernel : chunk.kernels()) {
    trace.kernels.push_back(decode_kernel(kernel));
  }
  for (const schema::Communication& item : chunk.communications()) {
    trace.communications.push_back(decode_communication(item));
  }
  for (const schema::Gradient& item : chunk.gradients()) {
    trace.gradients.push_back(decode_gradient(item));
  }
  for (const schema::Iteration& mark : chunk.iterations()) {
    trace.iterations.push_back({mark.number(), Nanoseconds{mark.start_ns()},
                                Nanoseconds{mark.end_ns()}, mark.representative(),
                                mark.inferred(), mark.complete()});
  }
  for (const schema::Backward& mark : chunk.backwards()) {
    trace.backwards.push_back(
        {mark.iteration(), Nanoseconds{mark.start_ns()}, Nanoseconds{mark.end_ns()}});
  }
}

/// Reads chunk after chunk; a bad or short last one ends the reading with a sentence in `losses`.
class ChunkReader {
 public:
  ChunkReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  DecodedTrace read_all() {
    while (at_ < bytes_.size() && !totals_ && read_chunk()) {
    }
    if (!totals_ && result_.losses.empty()) lose("the file ends before its closing chunk");
    check_totals();
    for (Communication& item : result_.trace.communications) {
      if (item.kernel && *item.kernel >= result_.trace.kernels.size()) item.kernel.reset();
    }
    return std::move(result_);
  }

 private:
  /// False when nothing can be read behind this place.
  bool read_chunk() {
    const std::size_t left = bytes_.size() - at_;
    const std::size_t length = left >= kFrameSize ? read_u32(bytes_.substr(at_)) : 0;
    if (length >= kMaxChunk) {
      refuse(fmt::format("a chunk of {} bytes; less than {} is accepted", length, kMaxChunk));
    }
    if (left < kFrameSize || length > left - kFrameSize) {
      lose("the last chunk is cut off; it was dropped");
      return false;
    }
    const std::string_view payload = bytes_.substr(at_ + kFrameSize, length);
    schema::Chunk chunk;
    if (read_u32(bytes_.substr(at_ + 4)) != crc32c(payload) ||
        !chunk.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
      if (length < left - kFrameSize) refuse("a chunk is damaged (its CRC32C does not fit)");
      lose("the last chunk is damaged; it was dropped");
      return false;
    }
    decode_chunk(chunk, result_.trace);
    if (chunk.has_totals()) totals_ = chunk.totals();
    at_ += kFrameSize + length;
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

  void lose(const char* what) {
    result_.losses.push_back(fmt::format("{}: byte {}: {}", name_, at_, what));
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

/// Writes `count` records as chunks of at most kRecordsPerChunk, each by `encode(index, chunk)`.
template <class Encode>
void append_records(std::string& out, std::size_t count, Encode encode) {
  for (std::size_t begin = 0; begin < count; begin += kRecordsPerChunk) {
    schema::Chunk chunk;
    for (std::size_t i = begin; i < std::min(begin + kRecordsPerChunk, count); ++i) {
      encode(i, chunk);
    }
    append_chunk(out, chunk);
  }
}

}  // namespace

bool is_gwt(std::string_view head) { return head.starts_with(kMagic); }

std::string encode_trace(const Trace& trace) {
  const std::vector<std::string> defects = find_trace_defects(trace);
  GW_CHECK(defects.empty(), "an invalid trace cannot be written: " + defects.front());
  std::string out{kMagic};
  append_u32(out, kVersion);

  schema::Chunk first;
  encode_header(trace, *first.mutable_header());
  for (const std::string& name : trace.names) first.add_names(name);
  encode_marks(trace, first);
  append_chunk(out, first);

  append_records(out, trace.kernels.size(), [&](std::size_t i, schema::Chunk& chunk) {
    encode_kernel(trace.kernels[i], *chunk.add_kernels());
  });
  append_records(out, trace.communications.size(), [&](std::size_t i, schema::Chunk& chunk) {
    encode_communication(trace.communications[i], *chunk.add_communications());
  });
  append_records(out, trace.gradients.size(), [&](std::size_t i, schema::Chunk& chunk) {
    encode_gradient(trace.gradients[i], *chunk.add_gradients());
  });

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
