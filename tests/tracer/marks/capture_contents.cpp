#include "tests/tracer/marks/capture_contents.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/framed_chunk.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/marks/run_program.hpp"

namespace gradwire::test {
namespace {

template <typename Message>
void append(std::vector<Message>& to, const google::protobuf::RepeatedPtrField<Message>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

bool earlier(const schema::HostEvent& a, const schema::HostEvent& b) {
  return a.time_ns() < b.time_ns();
}

}  // namespace

std::vector<schema::HostEvent> CaptureContents::events_of(std::uint64_t thread) const {
  std::vector<schema::HostEvent> result;
  std::copy_if(events.begin(), events.end(), std::back_inserter(result),
               [&](const schema::HostEvent& event) { return event.thread() == thread; });
  std::stable_sort(result.begin(), result.end(), earlier);
  return result;
}

std::uint64_t CaptureContents::domain(const std::string& name) const {
  for (const schema::HostEvent& event : events) {
    if (event.kind() == schema::HostEvent::NVTX_DOMAIN && event.text() == name) {
      return event.value();
    }
  }
  return 0;
}

std::string CaptureContents::fact(const std::string& name) const {
  for (const schema::CaptureFact& fact : header.facts()) {
    if (fact.name() == name) return fact.value();
  }
  for (const schema::HostEvent& event : events) {
    if (event.kind() == schema::HostEvent::FACT && event.text() == name) return event.payload();
  }
  return {};
}

std::vector<schema::HostEvent> CaptureContents::events_in(std::uint64_t number) const {
  std::vector<schema::HostEvent> result;
  std::copy_if(events.begin(), events.end(), std::back_inserter(result),
               [&](const schema::HostEvent& event) {
                 return event.kind() >= schema::HostEvent::NVTX_MARK &&
                        event.kind() <= schema::HostEvent::NVTX_END && event.domain() == number;
               });
  std::stable_sort(result.begin(), result.end(), earlier);
  return result;
}

CaptureContents read_capture(const std::filesystem::path& file, bool cut_off) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const std::string magic("\x89GWC\r\n\x1a\n\x01\0\0\0", 12);
  if (bytes.compare(0, magic.size(), magic) != 0) throw std::runtime_error("no capture file");
  CaptureContents result;
  for (std::size_t at = magic.size(); at < bytes.size();) {
    const FramedChunk framed = framed_chunk_at(bytes, at);
    schema::CaptureChunk chunk;
    if (cut_off && framed.state == ChunkState::kCutOff) break;
    if (framed.state != ChunkState::kWhole ||
        !chunk.ParseFromArray(framed.payload.data(), static_cast<int>(framed.payload.size()))) {
      throw std::runtime_error("damaged at byte " + std::to_string(at));
    }
    if (chunk.has_header()) result.header = chunk.header();
    for (schema::HostEvent event : chunk.events()) {
      event.set_time_ns(event.time_ns() + chunk.base_time_ns());
      result.events.push_back(std::move(event));
    }
    append(result.operations, chunk.operations());
    append(result.calls, chunk.calls());
    append(result.spans, chunk.spans());
    append(result.devices, chunk.devices());
    result.names.insert(result.names.end(), chunk.names().begin(), chunk.names().end());
    if (chunk.has_tally()) result.tally = chunk.tally();
    result.closed = chunk.closing();
    at += framed.framed_size();
  }
  return result;
}

std::vector<std::filesystem::path> captures_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gwc") result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

CaptureContents read_only_capture(const std::filesystem::path& folder) {
  const auto files = captures_in(folder);
  if (files.size() != 1) throw std::runtime_error(std::to_string(files.size()) + " capture files");
  return read_capture(files.front());
}

CaptureContents capture_of(const std::string& tracer, const std::vector<std::string>& command,
                           const std::vector<std::string>& more_variables) {
  const TemporaryFolder folder;
  std::vector<std::string> variables = more_variables;
  variables.push_back("CUDA_INJECTION64_PATH=" + tracer);
  variables.push_back("NVTX_INJECTION64_PATH=" + tracer);
  variables.push_back("GRADWIRE_TRACER_LIB=" + tracer);
  variables.push_back("GRADWIRE_CAPTURE=" + (folder / "run").string());
  const ProgramEnd end = run_program(command, variables);
  if (end.status != 0) throw std::runtime_error(std::to_string(end.status) + ": " + end.output);
  return read_only_capture(folder.path());
}

}  // namespace gradwire::test
