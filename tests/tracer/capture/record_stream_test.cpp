#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/tracer/capture/fake_activity_source.hpp"
#include "tracer/capture/buffer_pool.hpp"
#include "tracer/capture/capture_writer.hpp"

namespace gradwire {
namespace {

std::int64_t peak_resident_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Half kernels, half the calls that launched them, of 100 names, buffer after buffer through the
// pool, the decoder, the encoder and write(2).
TEST(RecordStream, OfAHundredMillionRecordsNeedsNoMoreMemoryThanOfAFew) {
  constexpr std::uint64_t kRecords = 100'000'000;
  constexpr std::int64_t kAllowedGrowthKib = 16 * 1024;
  BufferPool pool;
  test::FakeActivitySource& source = test::fake_source();
  ASSERT_EQ(source.start(pool), nullptr);
  CaptureWriter writer;
  ASSERT_TRUE(writer.open({}));
  writer.output().adopt(open("/dev/null", O_WRONLY | O_CLOEXEC));
  writer.begin({});
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back(std::string(200, 'k') + std::to_string(i));  // a usual mangled length
  }
  std::vector<test::FakeRecord> records(BufferPool::kBufferBytes / sizeof(test::FakeRecord));
  std::uint64_t time_ns = 1'700'000'000'000'000'000U;
  std::uint64_t sent = 0;
  std::int64_t early_peak_kib = 0;
  while (sent < kRecords) {
    for (test::FakeRecord& record : records) {
      ++sent;
      time_ns += 1000;
      if (sent % 2 == 0) {
        record.kind = test::FakeRecordKind::kCall;
        record.call = {211, false, time_ns, time_ns + 500, 4242, static_cast<std::uint32_t>(sent),
                       0};
        continue;
      }
      record.kind = test::FakeRecordKind::kOperation;
      record.operation.name = names[sent % names.size()].c_str();
      record.operation.start_ns = time_ns;
      record.operation.end_ns = time_ns + 900;
      record.operation.correlation = static_cast<std::uint32_t>(sent);
      record.operation.grid = {1024, 1, 1};
      record.operation.block = {256, 1, 1};
    }
    source.deliver(records);
    FullBuffer buffer;
    while (pool.next_full(buffer)) {
      source.decode(buffer, writer);
      pool.give_back(buffer.bytes);
    }
    if (early_peak_kib == 0 && sent > kRecords / 100) early_peak_kib = peak_resident_kib();
  }
  writer.finish();
  EXPECT_FALSE(writer.output().failed());
  EXPECT_EQ(writer.counts().operations + writer.counts().calls, sent);
  EXPECT_LT(peak_resident_kib() - early_peak_kib, kAllowedGrowthKib);
  RecordProperty("peak_kib", static_cast<int>(peak_resident_kib()));
  RecordProperty("growth_kib", static_cast<int>(peak_resident_kib() - early_peak_kib));
}

}  // namespace
}  // namespace gradwire
