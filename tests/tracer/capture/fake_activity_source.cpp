#include "tests/tracer/capture/fake_activity_source.hpp"

#include <cstring>

#include "tracer/capture/buffer_pool.hpp"

namespace gradwire {
namespace test {

const char* FakeActivitySource::start(BufferPool& pool) {
  ++starts;
  pool_ = &pool;
  if (refusal == nullptr && keeps_a_buffer) pool.take(false);
  return refusal;
}

void FakeActivitySource::flush(bool /*forced*/) {}

void FakeActivitySource::deliver(const std::vector<FakeRecord>& records) {
  constexpr std::size_t kFit = BufferPool::kBufferBytes / sizeof(FakeRecord);
  for (std::size_t at = 0; at < records.size(); at += kFit) {
    const std::size_t count = std::min(kFit, records.size() - at);
    std::uint8_t* const bytes = pool_->take(false);
    std::memcpy(bytes, records.data() + at, count * sizeof(FakeRecord));
    pool_->hand_over({bytes, count * sizeof(FakeRecord), nullptr, 0});
  }
}

void FakeActivitySource::decode(const FullBuffer& buffer, RecordSink& sink) {
  for (std::size_t at = 0; at < buffer.size; at += sizeof(FakeRecord)) {
    FakeRecord record;
    std::memcpy(static_cast<void*>(&record), buffer.bytes + at, sizeof record);
    switch (record.kind) {
      case FakeRecordKind::kOperation:
        sink.take(record.operation);
        break;
      case FakeRecordKind::kCall:
        sink.take(record.call);
        break;
      case FakeRecordKind::kUnknown:
        sink.count_unknown_record();
        break;
      case FakeRecordKind::kLostRest:
        sink.count_lost_buffer();
        return;
    }
  }
}

void FakeActivitySource::devices(RecordSink& sink) {
  if (stops == starts) sink.take(CaptureDevice{0, "Fake GPU", 4, 1U << 30U, 9, 0});
}

std::uint64_t FakeActivitySource::dropped_records() { return dropped.exchange(0); }

bool FakeActivitySource::fact(std::size_t index, const char*& name, const char*& value) {
  if (index > 0) return false;
  name = "cupti";
  value = "fake";
  return true;
}

void FakeActivitySource::stop() {
  deliver(at_stop);
  ++stops;
}

FakeActivitySource& fake_source() {
  static FakeActivitySource source;
  return source;
}

}  // namespace test

ActivitySource& activity_source() { return test::fake_source(); }

}  // namespace gradwire
