#include "tests/traces/importers/capture/capture_file.hpp"

#include <cmath>
#include <map>

#include "base/framed_chunk.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/importers/registry.hpp"
#include "traces/schema/capture.pb.h"

namespace gradwire::test {
namespace {

std::int64_t ns(double microseconds) { return std::llround(microseconds * 1000); }

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
  return bytes;
}

}  // namespace

struct CaptureFile::State {
  std::vector<schema::CaptureChunk> chunks;
  std::map<std::string, std::uint32_t> names;
  unsigned correlation = 1000;

  schema::CaptureChunk& chunk() { return chunks.back(); }
  schema::DeviceOperation& last() {
    return *chunk().mutable_operations(chunk().operations_size() - 1);
  }
  void add_chunk() { chunks.emplace_back().set_base_time_ns(kCaptureBase); }
  schema::HostEvent& event(schema::HostEvent::Kind kind, double time, std::uint64_t thread) {
    schema::HostEvent& event = *chunk().add_events();
    event.set_kind(kind);
    event.set_time_ns(ns(time));
    event.set_thread(thread);
    return event;
  }
};

CaptureFile::CaptureFile() : state_(std::make_unique<State>()) {
  state_->add_chunk();
  state_->chunk().mutable_header()->set_process(77);
}
CaptureFile::~CaptureFile() = default;
CaptureFile::CaptureFile(CaptureFile&&) noexcept = default;

CaptureFile& CaptureFile::rank(int rank, int world_size) {
  schema::CaptureHeader& header = *state_->chunks.front().mutable_header();
  header.set_rank(rank);
  header.set_world_size(world_size);
  return *this;
}

CaptureFile& CaptureFile::host(const std::string& name) {
  state_->chunks.front().mutable_header()->set_host(name);
  return *this;
}

CaptureFile& CaptureFile::window(int skip, int keep) {
  schema::CaptureHeader& header = *state_->chunks.front().mutable_header();
  header.set_skip_iterations(skip);
  header.set_keep_iterations(keep);
  return *this;
}

CaptureFile& CaptureFile::header_fact(const std::string& name, const std::string& value) {
  schema::CaptureFact& fact = *state_->chunks.front().mutable_header()->add_facts();
  fact.set_name(name);
  fact.set_value(value);
  return *this;
}

CaptureFile& CaptureFile::device(unsigned index, const std::string& name) {
  schema::CaptureDevice& device = *state_->chunk().add_devices();
  device.set_index(index);
  device.set_name(name);
  device.set_multiprocessors(132);
  device.set_compute_major(9);
  return *this;
}

CaptureFile& CaptureFile::kernel(const std::string& name, double start, double duration,
                                 unsigned correlation, unsigned stream, unsigned device) {
  const auto [known, first] =
      state_->names.try_emplace(name, static_cast<std::uint32_t>(state_->names.size()));
  if (first) state_->chunk().add_names(name);
  schema::DeviceOperation& operation = *state_->chunk().add_operations();
  operation.set_name(known->second);
  operation.set_start_ns(ns(start));
  operation.set_duration_ns(ns(duration));
  operation.set_correlation(correlation);
  operation.set_stream(stream);
  operation.set_device(device);
  for (const std::uint32_t extent : {80U, 1U, 1U}) operation.add_grid(extent);
  for (const std::uint32_t extent : {256U, 1U, 1U}) operation.add_block(extent);
  return *this;
}

CaptureFile& CaptureFile::node(unsigned graph, std::uint64_t node) {
  state_->last().set_graph(graph);
  state_->last().set_graph_node(node);
  return *this;
}

CaptureFile& CaptureFile::untimed() {
  state_->last().set_untimed(true);
  return *this;
}

CaptureFile& CaptureFile::copy(double start, double duration, unsigned correlation,
                               std::uint64_t bytes) {
  schema::DeviceOperation& operation = *state_->chunk().add_operations();
  operation.set_kind(schema::DeviceOperation::MEMCPY);
  operation.set_copy_kind(1);
  operation.set_start_ns(ns(start));
  operation.set_duration_ns(ns(duration));
  operation.set_correlation(correlation);
  operation.set_bytes(bytes);
  return *this;
}

CaptureFile& CaptureFile::call(double start, std::uint64_t thread, unsigned correlation,
                               unsigned callback, bool driver) {
  schema::HostCall& call = *state_->chunk().add_calls();
  call.set_callback(callback);
  call.set_driver(driver);
  call.set_start_ns(ns(start));
  call.set_duration_ns(3000);
  call.set_thread(thread);
  call.set_correlation(correlation);
  return *this;
}

CaptureFile& CaptureFile::launched(const std::string& name, double start, double duration,
                                   std::uint64_t thread, unsigned device) {
  const unsigned correlation = state_->correlation++;
  call(start - 5, thread, correlation);
  return kernel(name, start, duration, correlation, 7, device);
}

CaptureFile& CaptureFile::mark(int kind, std::uint64_t number, double time, std::uint64_t thread) {
  schema::HostEvent& event = state_->event(schema::HostEvent::MARK, time, thread);
  event.set_id(static_cast<std::uint64_t>(kind));
  event.set_value(number);
  return *this;
}

CaptureFile& CaptureFile::parameter(std::uint64_t number, const std::string& name,
                                    const std::string& dtype,
                                    const std::vector<std::int64_t>& shape) {
  schema::HostEvent& event = state_->event(schema::HostEvent::PARAMETER, 1, 1);
  event.set_id(number);
  event.set_text(name);
  std::string payload = dtype;
  payload.push_back('\0');
  for (const std::int64_t size : shape) payload += little_endian(static_cast<std::uint64_t>(size));
  event.set_payload(payload);
  return *this;
}

CaptureFile& CaptureFile::fact(const std::string& name, const std::string& value) {
  schema::HostEvent& event = state_->event(schema::HostEvent::FACT, 1, 1);
  event.set_text(name);
  event.set_payload(value);
  return *this;
}

CaptureFile& CaptureFile::domain(std::uint64_t domain, const std::string& name) {
  schema::HostEvent& event = state_->event(schema::HostEvent::NVTX_DOMAIN, 1, 1);
  event.set_value(domain);
  event.set_text(name);
  return *this;
}

CaptureFile& CaptureFile::push(const std::string& text, double time, std::uint64_t thread,
                               std::uint64_t domain) {
  schema::HostEvent& event = state_->event(schema::HostEvent::NVTX_PUSH, time, thread);
  event.set_text(text);
  event.set_domain(domain);
  return *this;
}

CaptureFile& CaptureFile::nccl_payload(unsigned sid, std::uint64_t bytes) {
  schema::CaptureChunk& chunk = state_->chunk();
  schema::HostEvent& event = *chunk.mutable_events(chunk.events_size() - 1);
  event.set_payload_kind((std::uint64_t{1} << 24U) + sid);
  event.set_payload(little_endian(0xABCD) + little_endian(bytes) + little_endian(0));
  return *this;
}

CaptureFile& CaptureFile::pop(double time, std::uint64_t thread, std::uint64_t domain) {
  state_->event(schema::HostEvent::NVTX_POP, time, thread).set_domain(domain);
  return *this;
}

CaptureFile& CaptureFile::overhead(double start, double duration) {
  schema::CaptureSpan& span = *state_->chunk().add_spans();
  span.set_kind(schema::CaptureSpan::OVERHEAD);
  span.set_start_ns(ns(start));
  span.set_duration_ns(ns(duration));
  return *this;
}

CaptureFile& CaptureFile::tally(std::uint64_t dropped, std::uint64_t unknown,
                                std::uint64_t unreturned) {
  schema::CaptureTally& tally = *state_->chunk().mutable_tally();
  tally.set_dropped_records(dropped);
  tally.set_unknown_records(unknown);
  tally.set_unreturned_buffers(unreturned);
  return *this;
}

CaptureFile& CaptureFile::clocks(std::int64_t realtime_ns, std::int64_t monotonic_ns) {
  schema::CaptureTally& tally = *state_->chunk().mutable_tally();
  tally.set_realtime_ns(realtime_ns);
  tally.set_monotonic_ns(monotonic_ns);
  return *this;
}

CaptureFile& CaptureFile::end_chunk() {
  state_->add_chunk();
  return *this;
}

std::string CaptureFile::bytes(bool closing) {
  std::string out = "\x89GWC\r\n\x1a\n";
  append_u32(out, 1);
  for (const schema::CaptureChunk& chunk : state_->chunks) {
    append_framed_chunk(out, chunk.SerializeAsString());
  }
  if (closing) {
    schema::CaptureChunk last;
    last.set_closing(true);
    append_framed_chunk(out, last.SerializeAsString());
  }
  return out;
}

CaptureFile training_capture(int iterations, bool marks) {
  CaptureFile file;
  file.device(0, "NVIDIA H200").rank(0, 1).header_fact("tracer", "gradwire");
  if (marks) {
    file.fact("marks", "pytorch hook").fact("pytorch", "2.6.0").fact("batch_size", "32");
    file.parameter(0, "a", "float32", {10}).parameter(1, "b", "float32", {10, 4});
  }
  for (int i = 0; i < iterations; ++i) {
    const double at = 100 + 1000.0 * i;
    const auto number = static_cast<std::uint64_t>(i);
    if (marks) file.mark(1, number, at, 1);
    file.launched("_Z4convPf", at + 10, 20, 1).launched("_Z4reluPf", at + 40, 20, 1);
    file.launched("loss", at + 70, 20, 1);
    if (marks) file.mark(3, 0, at + 90, 1);
    file.launched("loss_backward", at + 100, 20, 2).launched("relu_backward", at + 130, 20, 2);
    if (marks) file.mark(5, 1, at + 135, 2);
    file.launched("conv_backward", at + 160, 20, 2);
    if (marks) file.mark(5, 0, at + 165, 2).mark(4, 0, at + 170, 1);
    file.launched("adam", at + 200, 30, 1);
    if (marks) file.mark(2, number, at + 240, 1);
    file.end_chunk();
  }
  return file;
}

Imported import_capture(const std::string& bytes, bool strict) {
  const TemporaryFolder folder;
  return import_trace(folder.write("run.gwc", bytes), ImportOptions{strict});
}

std::uint64_t defects_of(const ImportReport& report, const std::string& kind) {
  for (const Defect& defect : report.defects) {
    if (defect.kind == kind) return defect.count;
  }
  return 0;
}

}  // namespace gradwire::test
