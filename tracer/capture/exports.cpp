#include <cstring>

#include "tracer/capture/host_events.hpp"
#include "tracer/capture/session.hpp"
#include "tracer/marks/gradwire_tracer.h"

namespace {

using gradwire::HostEventKind;

gradwire::EventBytes text(const char* value) {
  return {value, value == nullptr ? 0 : std::strlen(value)};
}

/// The first gw_* call of a process may be what starts its session.
bool recording() {
  if (!gradwire::session_is_on()) gradwire::start_session_once();
  return gradwire::session_is_on();
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int gw_start(const char* prefix) {
  return gradwire::start_session(prefix) ? 1 : 0;
}

[[gnu::visibility("default")]] void gw_stop() { gradwire::stop_session(); }

[[gnu::visibility("default")]] int gw_recording() {
  return recording() ? static_cast<int>(gradwire::session_number()) : 0;
}

[[gnu::visibility("default")]] void gw_mark(int kind, uint64_t number) {
  if (!recording()) return;
  gradwire::HostEvent event;
  event.id = static_cast<uint64_t>(kind);
  event.value = number;
  gradwire::record_host_event(event);
}

[[gnu::visibility("default")]] void gw_parameter(uint64_t number, const char* name,
                                                 const int64_t* shape, uint32_t dimensions,
                                                 const char* dtype) {
  if (!recording()) return;
  // The dtype's text, a zero byte, then the sizes, 8 bytes each, little-endian.
  constexpr size_t kMaxDtype = 64;
  constexpr uint32_t kMaxDimensions = 64;
  unsigned char payload[kMaxDtype + sizeof(int64_t) * kMaxDimensions];
  const size_t dtype_size = dtype == nullptr ? 0 : strnlen(dtype, kMaxDtype - 1);
  if (dtype_size != 0) std::memcpy(payload, dtype, dtype_size);
  payload[dtype_size] = '\0';
  size_t size = dtype_size + 1;
  for (uint32_t i = 0; shape != nullptr && i < dimensions && i < kMaxDimensions; ++i) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      payload[size++] = static_cast<unsigned char>(static_cast<uint64_t>(shape[i]) >> shift);
    }
  }
  gradwire::HostEvent event;
  event.kind = HostEventKind::kParameter;
  event.id = number;
  event.text = text(name);
  event.payload = {payload, size};
  gradwire::record_host_event(event);
}

[[gnu::visibility("default")]] void gw_fact(const char* name, const char* value) {
  if (!recording()) return;
  gradwire::HostEvent event;
  event.kind = HostEventKind::kFact;
  event.text = text(name);
  event.payload = text(value);
  gradwire::record_host_event(event);
}

}  // extern "C"
