#include "tracer/cupti/activity_decoder.hpp"

#include <cstddef>

#include "tracer/cupti/recorded_calls.hpp"

namespace gradwire {
namespace {

// The oldest record of CUDA 12 that has what is read here; later ones only grew at their ends. The
// offsets are those of CUDA 12.0 and hold for every version that is_known_cupti accepts.
using KernelPrefix = CUpti_ActivityKernel8;
using MemcpyPrefix = CUpti_ActivityMemcpy5;
using MemcpyPeerPrefix = CUpti_ActivityMemcpyPtoP4;
using MemsetPrefix = CUpti_ActivityMemset4;
using ApiPrefix = CUpti_ActivityAPI;
using SynchronizationPrefix = CUpti_ActivitySynchronization;
using OverheadPrefix = CUpti_ActivityOverhead;

#define GRADWIRE_AT(record, newest, member, offset)    \
  static_assert(offsetof(record, member) == (offset)); \
  static_assert(offsetof(newest, member) == (offset));
#define GRADWIRE_KERNEL(member, offset) \
  GRADWIRE_AT(CUpti_ActivityKernel8, CUpti_ActivityKernel10, member, offset)
GRADWIRE_KERNEL(registersPerThread, 6)
GRADWIRE_KERNEL(start, 16)
GRADWIRE_KERNEL(end, 24)
GRADWIRE_KERNEL(deviceId, 40)
GRADWIRE_KERNEL(contextId, 44)
GRADWIRE_KERNEL(streamId, 48)
GRADWIRE_KERNEL(gridX, 52)
GRADWIRE_KERNEL(blockX, 64)
GRADWIRE_KERNEL(staticSharedMemory, 76)
GRADWIRE_KERNEL(dynamicSharedMemory, 80)
GRADWIRE_KERNEL(correlationId, 92)
GRADWIRE_KERNEL(name, 104)
GRADWIRE_KERNEL(graphNodeId, 144)
GRADWIRE_KERNEL(graphId, 156)
#define GRADWIRE_MEMCPY(member, offset) \
  GRADWIRE_AT(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, member, offset)
GRADWIRE_MEMCPY(copyKind, 4)
GRADWIRE_MEMCPY(bytes, 8)
GRADWIRE_MEMCPY(start, 16)
GRADWIRE_MEMCPY(deviceId, 32)
GRADWIRE_MEMCPY(correlationId, 44)
GRADWIRE_MEMCPY(graphNodeId, 64)
GRADWIRE_MEMCPY(graphId, 72)
#define GRADWIRE_PEER(member, offset) \
  GRADWIRE_AT(CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4, member, offset)
GRADWIRE_PEER(bytes, 8)
GRADWIRE_PEER(deviceId, 32)
GRADWIRE_PEER(correlationId, 60)
GRADWIRE_PEER(graphNodeId, 72)
GRADWIRE_PEER(graphId, 80)
#define GRADWIRE_MEMSET(member, offset) \
  GRADWIRE_AT(CUpti_ActivityMemset3, CUpti_ActivityMemset4, member, offset)
GRADWIRE_MEMSET(bytes, 8)
GRADWIRE_MEMSET(start, 16)
GRADWIRE_MEMSET(deviceId, 32)
GRADWIRE_MEMSET(correlationId, 44)
GRADWIRE_MEMSET(graphNodeId, 64)
GRADWIRE_MEMSET(graphId, 72)
#define GRADWIRE_SYNCHRONIZATION(member, offset) \
  GRADWIRE_AT(CUpti_ActivitySynchronization, CUpti_ActivitySynchronization2, member, offset)
GRADWIRE_SYNCHRONIZATION(type, 4)
GRADWIRE_SYNCHRONIZATION(start, 8)
GRADWIRE_SYNCHRONIZATION(correlationId, 24)
GRADWIRE_SYNCHRONIZATION(streamId, 32)
#define GRADWIRE_OVERHEAD(member, offset) \
  GRADWIRE_AT(CUpti_ActivityOverhead, CUpti_ActivityOverhead3, member, offset)
GRADWIRE_OVERHEAD(overheadKind, 4)
GRADWIRE_OVERHEAD(start, 24)
GRADWIRE_OVERHEAD(end, 32)
static_assert(offsetof(CUpti_ActivityAPI, correlationId) == 32);
static_assert(sizeof(CUpti_ActivityAPI) == 40);

/// One buffer on its way to the sink.
class ActivityDecoder {
 public:
  ActivityDecoder(const FullBuffer& buffer, RecordSink& sink)
      : begin_(reinterpret_cast<std::uintptr_t>(buffer.bytes)),
        end_(begin_ + buffer.size),
        sink_(sink) {}

  /// False when the record is not wholly inside the buffer.
  bool take(const CUpti_Activity* record) {
    if (!has<CUpti_Activity>(record)) return false;
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      case CUPTI_ACTIVITY_KIND_KERNEL:
        return read<KernelPrefix>(record);
      case CUPTI_ACTIVITY_KIND_RUNTIME:
      case CUPTI_ACTIVITY_KIND_DRIVER:
        return read<ApiPrefix>(record);
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        return read<MemcpyPrefix>(record);
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return read<MemcpyPeerPrefix>(record);
      case CUPTI_ACTIVITY_KIND_MEMSET:
        return read<MemsetPrefix>(record);
      case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return read<SynchronizationPrefix>(record);
      case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return read<OverheadPrefix>(record);
      default:
        sink_.count_unknown_record();
        return true;
    }
  }

  std::uint64_t devices() const { return devices_; }

 private:
  template <typename Record>
  bool has(const CUpti_Activity* record) const {
    const auto at = reinterpret_cast<std::uintptr_t>(record);
    return at >= begin_ && at <= end_ && end_ - at >= sizeof(Record);
  }

  template <typename Record>
  bool read(const CUpti_Activity* record) {
    if (!has<Record>(record)) return false;
    decode(*reinterpret_cast<const Record*>(record));
    return true;
  }

  /// What all operations on a device have.
  template <typename Record>
  void give(DeviceOperation& operation, const Record& record) {
    operation.start_ns = record.start;
    operation.end_ns = record.end;
    // 0 is CUPTI's "no time"; a negative duration says as little.
    operation.untimed = record.start == 0 || record.end < record.start;
    operation.device = record.deviceId;
    operation.context = record.contextId;
    operation.stream = record.streamId;
    operation.correlation = record.correlationId;
    operation.graph = record.graphId;
    operation.graph_node = record.graphNodeId;
    if (record.deviceId < 64) devices_ |= std::uint64_t{1} << record.deviceId;
    sink_.take(operation);
  }

  void decode(const KernelPrefix& record) {
    DeviceOperation operation;
    operation.kind = OperationKind::kKernel;
    operation.name = record.name;
    operation.grid = {extent(record.gridX), extent(record.gridY), extent(record.gridZ)};
    operation.block = {extent(record.blockX), extent(record.blockY), extent(record.blockZ)};
    operation.registers = record.registersPerThread;
    operation.static_shared_bytes = extent(record.staticSharedMemory);
    operation.dynamic_shared_bytes = extent(record.dynamicSharedMemory);
    give(operation, record);
  }

  void decode(const MemcpyPrefix& record) {
    DeviceOperation operation;
    operation.kind = OperationKind::kMemcpy;
    operation.bytes = record.bytes;
    operation.copy_kind = record.copyKind;
    give(operation, record);
  }

  void decode(const MemcpyPeerPrefix& record) {
    DeviceOperation operation;
    operation.kind = OperationKind::kMemcpyPeer;
    operation.bytes = record.bytes;
    operation.copy_kind = record.copyKind;
    give(operation, record);
  }

  void decode(const MemsetPrefix& record) {
    DeviceOperation operation;
    operation.kind = OperationKind::kMemset;
    operation.bytes = record.bytes;
    give(operation, record);
  }

  void decode(const ApiPrefix& record) {
    const bool driver = record.kind == CUPTI_ACTIVITY_KIND_DRIVER;
    if (!is_recorded_call(driver, record.cbid)) return;
    HostCall call;
    call.callback = record.cbid;
    call.driver = driver;
    call.start_ns = record.start;
    call.end_ns = record.end;
    call.thread = record.threadId;
    call.correlation = record.correlationId;
    call.result = static_cast<std::int32_t>(record.returnValue);
    sink_.take(call);
  }

  void decode(const SynchronizationPrefix& record) {
    CaptureSpan span;
    span.kind = CaptureSpanKind::kSynchronization;
    span.detail = static_cast<std::uint32_t>(record.type);
    span.start_ns = record.start;
    span.end_ns = record.end;
    span.stream = record.streamId;
    span.correlation = record.correlationId;
    sink_.take(span);
  }

  void decode(const OverheadPrefix& record) {
    CaptureSpan span;
    span.kind = CaptureSpanKind::kOverhead;
    span.detail = static_cast<std::uint32_t>(record.overheadKind);
    span.start_ns = record.start;
    span.end_ns = record.end;
    sink_.take(span);
  }

  static std::uint32_t extent(std::int32_t value) { return static_cast<std::uint32_t>(value); }

  std::uintptr_t begin_;
  std::uintptr_t end_;
  RecordSink& sink_;
  std::uint64_t devices_ = 0;
};

}  // namespace

std::uint64_t decode_activities(RecordWalker walker, const FullBuffer& buffer, RecordSink& sink) {
  ActivityDecoder decoder(buffer, sink);
  if (buffer.size == 0) return 0;
  CUpti_Activity* record = nullptr;
  for (;;) {
    const CUpti_Activity* previous = record;
    const CUptiResult result = walker(buffer.bytes, buffer.size, &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;
    if (result != CUPTI_SUCCESS || record <= previous || !decoder.take(record)) {
      sink.count_lost_buffer();
      break;
    }
  }
  return decoder.devices();
}

}  // namespace gradwire
