#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tracer/capture/capture_options.hpp"
#include "tracer/capture/captured_names.hpp"
#include "tracer/capture/event_queue.hpp"
#include "tracer/capture/records.hpp"

namespace gradwire {

/// traces/schema/capture.proto, CaptureTally.
struct CaptureCounts {
  std::uint64_t operations = 0;
  std::uint64_t calls = 0;
  std::uint64_t events = 0;
  std::uint64_t dropped_records = 0;
  std::uint64_t dropped_events = 0;
  std::uint64_t unknown_records = 0;
  std::uint64_t lost_buffers = 0;
  std::uint64_t unreturned_buffers = 0;
  std::uint64_t realtime_ns = 0;
  std::uint64_t monotonic_ns = 0;
};

struct CaptureFact {
  const char* name = nullptr;
  const char* value = nullptr;
};

/// What a header says beside the options.
struct CaptureProcess {
  std::int64_t process = 0;
  const char* host = "";
  std::string_view command;
  const CaptureFact* facts = nullptr;
  std::size_t fact_count = 0;
};

/// Records as one chunk after the other: protobuf of a CaptureChunk written by hand, with room for
/// a frame in front of it. What is full() is to be taken; the encoder itself writes nothing.
class CaptureEncoder {
 public:
  CaptureEncoder() = default;
  ~CaptureEncoder();
  CaptureEncoder(const CaptureEncoder&) = delete;
  CaptureEncoder& operator=(const CaptureEncoder&) = delete;

  /// Gets the memory; false: the system has none.
  bool open();

  void put(const CaptureProcess& process, const CaptureOptions& options);
  void put(const DeviceOperation& operation);
  void put(const HostCall& call);
  void put(const TimedHostEvent& event);
  void put(const CaptureSpan& span);
  void put(const CaptureDevice& device);
  void put(const CaptureCounts& tally);
  void put_closing();

  bool empty() const { return size_ == 0; }
  /// kChunkBytes are reached, and one record more would still have had room.
  bool full() const { return size_ >= kChunkBytes; }

  /// The chunk since the last call as a frame {length, CRC-32C, payload}, valid until the next put.
  std::string_view take_frame();

  static constexpr std::size_t kChunkBytes = 1U << 20U;
  static constexpr std::size_t kMaxRecordBytes = 128U << 10U;

 private:
  unsigned char* payload() { return memory_ + kFrameBytes; }
  std::uint64_t base(std::uint64_t time_ns);
  /// Both let `put(WireWriter&)` write at the end of the payload; the second inside a message.
  template <class Put>
  void append(Put put);
  template <class Put>
  void append_message(std::uint32_t field, Put put);

  static constexpr std::size_t kFrameBytes = 8;
  static constexpr std::size_t kMemoryBytes = kFrameBytes + kChunkBytes + 2 * kMaxRecordBytes;

  CapturedNames names_;
  unsigned char* memory_ = nullptr;
  std::size_t size_ = 0;  ///< of the payload
  bool has_base_ = false;
  std::uint64_t base_ns_ = 0;
};

}  // namespace gradwire
