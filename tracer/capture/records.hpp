#pragma once

#include <cstdint>

namespace gradwire {

/// What a profiler tells of one record, as plain values; times in nanoseconds of CLOCK_REALTIME.
/// Field by field the messages of traces/schema/capture.proto.

enum class OperationKind : std::uint8_t { kKernel, kMemcpy, kMemcpyPeer, kMemset };

struct Extent {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
};

struct DeviceOperation {
  OperationKind kind = OperationKind::kKernel;
  const char* name = nullptr;  ///< mangled; belongs to the profiler, valid while it is loaded
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  bool untimed = false;  ///< the profiler gave no time
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  Extent grid;
  Extent block;
  std::uint32_t registers = 0;             ///< a thread
  std::uint32_t static_shared_bytes = 0;   ///< a block
  std::uint32_t dynamic_shared_bytes = 0;  ///< a block
  std::uint32_t graph = 0;                 ///< 0: not launched by a CUDA graph
  std::uint64_t graph_node = 0;
  std::uint64_t bytes = 0;  ///< copied or set
  std::uint32_t copy_kind = 0;
};

struct HostCall {
  std::uint32_t callback = 0;
  bool driver = false;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t thread = 0;  ///< gettid
  std::uint32_t correlation = 0;
  std::int32_t result = 0;
};

enum class CaptureSpanKind : std::uint8_t { kSynchronization, kOverhead };

struct CaptureSpan {
  CaptureSpanKind kind = CaptureSpanKind::kSynchronization;
  std::uint32_t detail = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
};

struct CaptureDevice {
  std::uint32_t index = 0;
  const char* name = nullptr;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
};

/// Takes records as they are decoded, on the tracer's own thread.
class RecordSink {
 public:
  virtual void take(const DeviceOperation& operation) = 0;
  virtual void take(const HostCall& call) = 0;
  virtual void take(const CaptureSpan& span) = 0;
  virtual void take(const CaptureDevice& device) = 0;
  virtual void count_unknown_record() = 0;  ///< of a kind or version that is not read
  virtual void count_lost_buffer() = 0;     ///< the rest of a buffer cannot be walked

 protected:
  ~RecordSink() = default;
};

}  // namespace gradwire
