#pragma once

#include <cwchar>

#include "tracer/capture/host_events.hpp"

struct nvtxEventAttributes_v2;

namespace gradwire {

/// What an NVTX call says of itself, for the members `text`, `payload_kind` and `payload` of a
/// HostEvent. It points into the caller's memory, and into itself for a text of wide characters.
class NvtxEvent {
 public:
  explicit NvtxEvent(const char* message);
  explicit NvtxEvent(const wchar_t* message);

  /// Null, and a version or size of the structure that is not known, give an event without text and
  /// payload. Payloads of the types 1 to 6 (nvtxPayloadType_t) give their 8 or 4 bytes; extended
  /// ones the bytes of the first with a schema, whose id, from 1 << 24 on, is then the kind.
  explicit NvtxEvent(const nvtxEventAttributes_v2* attributes);

  NvtxEvent(const NvtxEvent&) = delete;
  NvtxEvent& operator=(const NvtxEvent&) = delete;

  void put_into(HostEvent& event) const;

  EventBytes text() const { return text_; }

 private:
  void read_message(const nvtxEventAttributes_v2& attributes);
  void read_payload(const nvtxEventAttributes_v2& attributes);
  void convert(const wchar_t* message);

  EventBytes text_;
  std::uint64_t payload_kind_ = 0;
  EventBytes payload_;
  char converted_[kMaxEventBytes];  ///< only as far as text_ says
};

}  // namespace gradwire
