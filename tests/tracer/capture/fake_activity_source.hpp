#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "tracer/capture/activity_source.hpp"

namespace gradwire::test {

enum class FakeRecordKind { kOperation, kCall, kUnknown, kLostRest };

struct FakeRecord {
  FakeRecordKind kind = FakeRecordKind::kOperation;
  DeviceOperation operation;
  HostCall call;
};

/// The activity_source() of this test program: a profiler that records what a test tells it to.
class FakeActivitySource final : public ActivitySource {
 public:
  const char* start(BufferPool& pool) override;
  void flush(bool forced) override;
  void decode(const FullBuffer& buffer, RecordSink& sink) override;
  void devices(RecordSink& sink) override;
  std::uint64_t dropped_records() override;
  bool fact(std::size_t index, const char*& name, const char*& value) override;
  void stop() override;

  /// As the profiler's callbacks: takes a buffer, fills it, hands it over.
  void deliver(const std::vector<FakeRecord>& records);

  // What a test sets before a session starts.
  const char* refusal = nullptr;
  std::vector<FakeRecord> at_stop;  ///< delivered inside stop()
  bool keeps_a_buffer = false;      ///< takes one and never hands it over

  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  std::atomic<std::uint64_t> dropped{0};

 private:
  BufferPool* pool_ = nullptr;
};

FakeActivitySource& fake_source();

}  // namespace gradwire::test
