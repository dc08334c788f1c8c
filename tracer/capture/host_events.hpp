#pragma once

#include <cstddef>
#include <cstdint>

namespace gradwire {

/// As in traces/schema/capture.proto, HostEvent.
enum class HostEventKind : std::uint8_t {
  kMark,
  kParameter,
  kFact,
  kNvtxMark,
  kNvtxPush,
  kNvtxPop,
  kNvtxStart,
  kNvtxEnd,
  kNvtxDomain,
  kNvtxString,
};

/// Bytes that the recording copies.
struct EventBytes {
  const void* bytes = nullptr;
  std::size_t size = 0;  ///< more than kMaxEventBytes are cut
};

inline constexpr std::size_t kMaxEventBytes = 1024;

struct HostEvent {
  HostEventKind kind = HostEventKind::kMark;
  std::uint64_t id = 0;
  std::uint64_t value = 0;
  std::uint64_t domain = 0;
  EventBytes text;
  std::uint64_t payload_kind = 0;
  EventBytes payload;
};

/// Records that `event` happens now on the calling thread: any thread, any time; a few tens of
/// nanoseconds, no allocation, no system call but the clock (and once a thread gettid). Without a
/// session, and in a child of fork, it does nothing; without memory the event is counted as
/// dropped.
void record_host_event(const HostEvent& event);

/// True while a session is on, for callers that would otherwise prepare an event for nothing.
bool session_is_on();

/// Which session of this process is on, from 1; 0 while none: what a file must name once.
std::uint64_t session_number();

}  // namespace gradwire
