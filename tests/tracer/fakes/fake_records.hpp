#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/tracer/fakes/fake_driver.h"

/// The records that a fake libcupti writes, and what is odd about it.

#ifdef GRADWIRE_FAKE_CUPTI_12
constexpr std::uint32_t kVersion = 22;  // CUDA 12.4
using KernelRecord = CUpti_ActivityKernel9;
using MemcpyRecord = CUpti_ActivityMemcpy5;
using OverheadRecord = CUpti_ActivityOverhead2;
using SynchronizationRecord = CUpti_ActivitySynchronization;
#else
constexpr std::uint32_t kVersion = CUPTI_API_VERSION;
using KernelRecord = CUpti_ActivityKernel10;
using MemcpyRecord = CUpti_ActivityMemcpy6;
using OverheadRecord = CUpti_ActivityOverhead3;
using SynchronizationRecord = CUpti_ActivitySynchronization2;
#endif

/// The value of `name` in "name,other=3", "" without one; null when it is not there.
inline const char* oddity(const std::string& name) {
  static thread_local std::string value;
  const char* all = std::getenv("GRADWIRE_FAKE_CUPTI");
  std::string rest = all == nullptr ? "" : all;
  while (!rest.empty()) {
    const std::string one = rest.substr(0, rest.find(','));
    rest.erase(0, one.size() + 1);
    if (one.substr(0, one.find('=')) != name) continue;
    value = one.find('=') == std::string::npos ? "" : one.substr(one.find('=') + 1);
    return value.c_str();
  }
  return nullptr;
}

inline long odd_number(const char* name) {
  const char* value = oddity(name);
  return value == nullptr ? 0 : std::atol(value);
}

template <typename Record>
Record operation_record(const FakeEvent& event, CUpti_ActivityKind kind) {
  Record one;
  std::memset(&one, 0, sizeof one);
  one.kind = kind;
  const bool timed = oddity("untimed") == nullptr;
  one.start = timed ? event.start_ns : 0;
  one.end = timed ? event.end_ns : 0;
  one.deviceId = event.call.device;
  one.contextId = 1;
  one.streamId = event.call.stream;
  one.correlationId = event.correlation;
  one.graphId = event.call.graph;
  one.graphNodeId = event.graph_node;
  return one;
}

/// 0: a kind that it does not know.
inline std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(MemcpyRecord);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(SynchronizationRecord);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(OverheadRecord);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

/// What every call that needs a driver answers first.
inline CUptiResult trouble() {
  if (oddity("nodriver") != nullptr) return CUPTI_ERROR_UNKNOWN;
  if (oddity("olddriver") != nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return CUPTI_SUCCESS;
}
