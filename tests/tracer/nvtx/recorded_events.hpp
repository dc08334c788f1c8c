#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/capture/host_events.hpp"

namespace gradwire::test {

/// A HostEvent with its bytes copied, as the capture would have it.
struct RecordedEvent {
  HostEventKind kind = HostEventKind::kMark;
  std::uint64_t value = 0;
  std::uint64_t domain = 0;
  std::string text;
  std::uint64_t payload_kind = 0;
  std::string payload;
};

/// Stands in for the capture in this program: session number `session` is on (0: none), and its
/// list is empty.
void begin_recording(std::uint64_t session = 1);

/// What was recorded since.
std::vector<RecordedEvent> recorded_events();

}  // namespace gradwire::test
