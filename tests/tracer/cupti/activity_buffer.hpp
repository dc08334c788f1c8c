#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tracer/capture/activity_source.hpp"
#include "tracer/cupti/activity_decoder.hpp"

namespace gradwire {

/// A function of NVIDIA's own libcupti, which walks buffers without a driver.
template <typename Function>
Function real_cupti_function(const char* name) {
  void* library = dlopen(GRADWIRE_REAL_CUPTI, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function>(dlsym(library, name));
}

inline RecordWalker real_walker() {
  return real_cupti_function<RecordWalker>("cuptiActivityGetNextRecord");
}

/// Records one behind the other, as CUPTI writes them.
class ActivityBuffer {
 public:
  template <typename Record>
  void append(const Record& record) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&record);
    bytes_.insert(bytes_.end(), from, from + sizeof record);
  }
  void cut_to(std::size_t size) { bytes_.resize(size); }
  std::size_t size() const { return bytes_.size(); }
  FullBuffer full() { return {bytes_.data(), bytes_.size(), nullptr, 0}; }

 private:
  std::vector<std::uint8_t> bytes_;
};

template <typename Record>
Record record_of(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof record);
  record.kind = kind;
  return record;
}

/// A kernel of 2x3x4 blocks of 32x1x1 threads, 1000 ns long.
template <typename Record = CUpti_ActivityKernel10>
Record kernel_record(const char* name, std::uint64_t start_ns, std::uint32_t correlation) {
  auto record = record_of<Record>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  record.name = name;
  record.start = start_ns;
  record.end = start_ns + 1000;
  record.deviceId = 1;
  record.contextId = 2;
  record.streamId = 7;
  record.correlationId = correlation;
  record.gridX = 2;
  record.gridY = 3;
  record.gridZ = 4;
  record.blockX = 32;
  record.blockY = 1;
  record.blockZ = 1;
  record.registersPerThread = 40;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 2048;
  record.graphId = 5;
  record.graphNodeId = (std::uint64_t{5} << 32) + 6;
  return record;
}

inline CUpti_ActivityAPI call_record(CUpti_ActivityKind kind, std::uint32_t callback,
                                     std::uint64_t start_ns, std::uint32_t correlation) {
  auto record = record_of<CUpti_ActivityAPI>(kind);
  record.cbid = callback;
  record.start = start_ns;
  record.end = start_ns + 500;
  record.threadId = 4242;
  record.correlationId = correlation;
  record.returnValue = 0;
  return record;
}

/// Keeps what it is given.
class RecordList final : public RecordSink {
 public:
  void take(const DeviceOperation& operation) override { operations.push_back(operation); }
  void take(const HostCall& call) override { calls.push_back(call); }
  void take(const CaptureSpan& span) override { spans.push_back(span); }
  void take(const CaptureDevice& device) override { devices.push_back(device); }
  void count_unknown_record() override { ++unknown_records; }
  void count_lost_buffer() override { ++lost_buffers; }

  std::vector<DeviceOperation> operations;
  std::vector<HostCall> calls;
  std::vector<CaptureSpan> spans;
  std::vector<CaptureDevice> devices;
  int unknown_records = 0;
  int lost_buffers = 0;
};

}  // namespace gradwire
