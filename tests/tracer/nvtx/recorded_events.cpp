#include "tests/tracer/nvtx/recorded_events.hpp"

#include <algorithm>
#include <mutex>

#include "tracer/capture/session.hpp"

namespace gradwire {
namespace {

std::mutex list_mutex;
std::vector<test::RecordedEvent> list;
std::uint64_t current_session = 0;

std::string copy_of(EventBytes bytes) {
  if (bytes.size == 0) return {};
  return {static_cast<const char*>(bytes.bytes), std::min(bytes.size, kMaxEventBytes)};
}

}  // namespace

void record_host_event(const HostEvent& event) {
  const std::lock_guard lock(list_mutex);
  list.push_back({event.kind, event.value, event.domain, copy_of(event.text), event.payload_kind,
                  copy_of(event.payload)});
}

bool session_is_on() { return current_session != 0; }

std::uint64_t session_number() { return current_session; }

void start_session_once() {}

namespace test {

void begin_recording(std::uint64_t session) {
  const std::lock_guard lock(list_mutex);
  list.clear();
  current_session = session;
}

std::vector<RecordedEvent> recorded_events() {
  const std::lock_guard lock(list_mutex);
  return list;
}

}  // namespace test
}  // namespace gradwire
