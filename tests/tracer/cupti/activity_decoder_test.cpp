#include "tracer/cupti/activity_decoder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "tests/tracer/cupti/activity_buffer.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kStartNs = 1'700'000'000'000'000'000;

/// How far the real walker steps from a record of `Record`'s kind to the next.
template <typename Record>
std::ptrdiff_t real_stride(CUpti_ActivityKind kind) {
  ActivityBuffer buffer;
  buffer.append(record_of<Record>(kind));
  buffer.append(record_of<Record>(kind));
  const FullBuffer full = buffer.full();
  CUpti_Activity* first = nullptr;
  if (real_walker()(full.bytes, full.size, &first) != CUPTI_SUCCESS) return -1;
  CUpti_Activity* second = first;
  if (real_walker()(full.bytes, full.size, &second) != CUPTI_SUCCESS) return -2;
  return reinterpret_cast<std::uint8_t*>(second) - reinterpret_cast<std::uint8_t*>(first);
}

/// A record that is inside the buffer as far as the walker says, whatever it says.
CUptiResult CUPTIAPI one_record_walker(std::uint8_t* buffer, std::size_t, CUpti_Activity** record) {
  if (*record != nullptr) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(buffer);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI standing_walker(std::uint8_t* buffer, std::size_t, CUpti_Activity** record) {
  *record = reinterpret_cast<CUpti_Activity*>(buffer);
  return CUPTI_SUCCESS;
}

TEST(ActivityDecoder, NvidiasWalkerStepsByTheSizesOfTheRecordsThatWereCompiled) {
  EXPECT_EQ(real_stride<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
            std::ptrdiff_t{sizeof(CUpti_ActivityKernel10)});
  EXPECT_EQ(real_stride<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_KERNEL),
            std::ptrdiff_t{sizeof(CUpti_ActivityKernel10)});
  EXPECT_EQ(real_stride<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY),
            std::ptrdiff_t{sizeof(CUpti_ActivityMemcpy6)});
  EXPECT_EQ(real_stride<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2),
            std::ptrdiff_t{sizeof(CUpti_ActivityMemcpyPtoP4)});
  EXPECT_EQ(real_stride<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET),
            std::ptrdiff_t{sizeof(CUpti_ActivityMemset4)});
  EXPECT_EQ(real_stride<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME),
            std::ptrdiff_t{sizeof(CUpti_ActivityAPI)});
  EXPECT_EQ(real_stride<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER),
            std::ptrdiff_t{sizeof(CUpti_ActivityAPI)});
  EXPECT_EQ(real_stride<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION),
            std::ptrdiff_t{sizeof(CUpti_ActivitySynchronization2)});
  EXPECT_EQ(real_stride<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD),
            std::ptrdiff_t{sizeof(CUpti_ActivityOverhead3)});
}

template <typename Record>
void expect_kernel_is_read() {
  ActivityBuffer buffer;
  buffer.append(kernel_record<Record>("_Z3addPf", kStartNs, 77));
  RecordList list;
  EXPECT_EQ(decode_activities(one_record_walker, buffer.full(), list), 1U << 1);
  ASSERT_EQ(list.operations.size(), 1U);
  const DeviceOperation& kernel = list.operations[0];
  EXPECT_EQ(kernel.kind, OperationKind::kKernel);
  EXPECT_STREQ(kernel.name, "_Z3addPf");
  EXPECT_EQ(kernel.start_ns, kStartNs);
  EXPECT_EQ(kernel.end_ns, kStartNs + 1000);
  EXPECT_FALSE(kernel.untimed);
  EXPECT_EQ(kernel.device, 1U);
  EXPECT_EQ(kernel.context, 2U);
  EXPECT_EQ(kernel.stream, 7U);
  EXPECT_EQ(kernel.correlation, 77U);
  EXPECT_EQ(kernel.grid.x, 2U);
  EXPECT_EQ(kernel.grid.y, 3U);
  EXPECT_EQ(kernel.grid.z, 4U);
  EXPECT_EQ(kernel.block.x, 32U);
  EXPECT_EQ(kernel.registers, 40U);
  EXPECT_EQ(kernel.static_shared_bytes, 1024U);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 2048U);
  EXPECT_EQ(kernel.graph, 5U);
  EXPECT_EQ(kernel.graph_node, (std::uint64_t{5} << 32) + 6);
}

TEST(ActivityDecoder, ReadsKernelsAsEveryVersionOfCuda12And13WritesThem) {
  expect_kernel_is_read<CUpti_ActivityKernel8>();
  expect_kernel_is_read<CUpti_ActivityKernel9>();
  expect_kernel_is_read<CUpti_ActivityKernel10>();
}

TEST(ActivityDecoder, ReadsCopiesFillsWaitsAndOverheadByNvidiasWalker) {
  ActivityBuffer buffer;
  auto copy = record_of<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.bytes = 1'048'576;
  copy.start = kStartNs;
  copy.end = kStartNs + 5;
  copy.streamId = 13;
  copy.correlationId = 9;
  buffer.append(copy);
  auto peer = record_of<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.bytes = 64;
  peer.start = kStartNs;
  peer.end = kStartNs + 6;
  peer.deviceId = 3;
  peer.correlationId = 10;
  buffer.append(peer);
  auto fill = record_of<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  fill.bytes = 4096;
  fill.start = kStartNs;
  fill.end = kStartNs + 7;
  fill.graphId = 2;
  fill.graphNodeId = 21;
  buffer.append(fill);
  auto wait = record_of<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  wait.start = kStartNs;
  wait.end = kStartNs + 8;
  wait.streamId = 13;
  wait.correlationId = 11;
  buffer.append(wait);
  auto overhead = record_of<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  overhead.start = kStartNs;
  overhead.end = kStartNs + 9;
  buffer.append(overhead);

  RecordList list;
  EXPECT_EQ(decode_activities(real_walker(), buffer.full(), list), 0b1001U);  // devices 0 and 3
  ASSERT_EQ(list.operations.size(), 3U);
  EXPECT_EQ(list.operations[0].kind, OperationKind::kMemcpy);
  EXPECT_EQ(list.operations[0].bytes, 1'048'576U);
  EXPECT_EQ(list.operations[0].copy_kind, std::uint32_t{CUPTI_ACTIVITY_MEMCPY_KIND_HTOD});
  EXPECT_EQ(list.operations[0].stream, 13U);
  EXPECT_EQ(list.operations[1].kind, OperationKind::kMemcpyPeer);
  EXPECT_EQ(list.operations[1].bytes, 64U);
  EXPECT_EQ(list.operations[1].correlation, 10U);
  EXPECT_EQ(list.operations[2].kind, OperationKind::kMemset);
  EXPECT_EQ(list.operations[2].bytes, 4096U);
  EXPECT_EQ(list.operations[2].graph, 2U);
  EXPECT_EQ(list.operations[2].graph_node, 21U);
  ASSERT_EQ(list.spans.size(), 2U);
  EXPECT_EQ(list.spans[0].kind, CaptureSpanKind::kSynchronization);
  EXPECT_EQ(list.spans[0].detail,
            std::uint32_t{CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE});
  EXPECT_EQ(list.spans[0].end_ns, kStartNs + 8);
  EXPECT_EQ(list.spans[1].kind, CaptureSpanKind::kOverhead);
  EXPECT_EQ(list.spans[1].detail, std::uint32_t{CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH});
  EXPECT_EQ(list.spans[1].end_ns, kStartNs + 9);
  EXPECT_EQ(list.lost_buffers, 0);
  EXPECT_EQ(list.unknown_records, 0);
}

TEST(ActivityDecoder, KeepsTheCallsThatLaunchAndNoOthers) {
  ActivityBuffer buffer;
  const std::array<std::uint32_t, 4> launches = {211, 430, 505, 311};
  for (const std::uint32_t callback : launches) {
    buffer.append(call_record(CUPTI_ACTIVITY_KIND_RUNTIME, callback, kStartNs, callback));
  }
  buffer.append(call_record(CUPTI_ACTIVITY_KIND_DRIVER, 652, kStartNs, 1));  // cuLaunchKernelEx
  buffer.append(call_record(CUPTI_ACTIVITY_KIND_RUNTIME, 17, kStartNs, 2));  // cudaGetDevice
  buffer.append(
      call_record(CUPTI_ACTIVITY_KIND_DRIVER, 505, kStartNs, 3));  // 505 of the runtime alone
  buffer.append(call_record(CUPTI_ACTIVITY_KIND_RUNTIME, 99999, kStartNs, 4));  // beyond the table
  RecordList list;
  decode_activities(real_walker(), buffer.full(), list);
  ASSERT_EQ(list.calls.size(), 5U);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    EXPECT_EQ(list.calls[i].callback, launches[i]);
    EXPECT_FALSE(list.calls[i].driver);
    EXPECT_EQ(list.calls[i].thread, 4242U);
    EXPECT_EQ(list.calls[i].end_ns, kStartNs + 500);
  }
  EXPECT_TRUE(list.calls[4].driver);
  EXPECT_EQ(list.unknown_records, 0);
}

TEST(ActivityDecoder, AnOperationWithoutATimeIsKeptAndSaysSo) {
  ActivityBuffer buffer;
  auto no_start = kernel_record("a", kStartNs, 1);
  no_start.start = 0;
  auto no_end = kernel_record("b", kStartNs, 2);
  no_end.end = 0;
  auto backwards = kernel_record("c", kStartNs, 3);
  backwards.end = kStartNs - 1;
  for (const auto& record : {no_start, no_end, backwards}) buffer.append(record);
  RecordList list;
  decode_activities(real_walker(), buffer.full(), list);
  ASSERT_EQ(list.operations.size(), 3U);
  for (const DeviceOperation& operation : list.operations) EXPECT_TRUE(operation.untimed);
}

TEST(ActivityDecoder, AKindThatTheWalkerKnowsAndWeDoNotReadIsCountedAndStepped) {
  ActivityBuffer buffer;
  buffer.append(
      record_of<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
  buffer.append(kernel_record("after", kStartNs, 1));
  RecordList list;
  decode_activities(real_walker(), buffer.full(), list);
  EXPECT_EQ(list.unknown_records, 1);
  ASSERT_EQ(list.operations.size(), 1U);
  EXPECT_STREQ(list.operations[0].name, "after");
}

TEST(ActivityDecoder, AKindThatTheWalkerDoesNotKnowEndsTheBufferAndIsCounted) {
  ActivityBuffer buffer;
  buffer.append(kernel_record("before", kStartNs, 1));
  buffer.append(kernel_record("unknown", kStartNs, 2));
  auto full = buffer.full();
  const auto kind = std::uint32_t{4000};
  std::memcpy(full.bytes + sizeof(CUpti_ActivityKernel10), &kind, sizeof kind);
  RecordList list;
  decode_activities(real_walker(), full, list);
  EXPECT_EQ(list.operations.size(), 1U);
  EXPECT_EQ(list.lost_buffers, 1);
}

TEST(ActivityDecoder, ACutOffRecordIsNotRead) {
  for (std::size_t cut = 1; cut < sizeof(CUpti_ActivityKernel10); ++cut) {
    ActivityBuffer buffer;
    buffer.append(kernel_record("whole", kStartNs, 1));
    buffer.append(kernel_record("cut", kStartNs, 2));
    buffer.cut_to(buffer.size() - cut);
    RecordList list;
    decode_activities(real_walker(), buffer.full(), list);
    ASSERT_EQ(list.operations.size(), 1U) << cut;
  }
}

TEST(ActivityDecoder, AWalkerThatDoesNotMoveOrLeavesTheBufferEndsItOnce) {
  ActivityBuffer buffer;
  buffer.append(kernel_record("only", kStartNs, 1));
  RecordList standing;
  decode_activities(standing_walker, buffer.full(), standing);
  EXPECT_EQ(standing.operations.size(), 1U);
  EXPECT_EQ(standing.lost_buffers, 1);

  buffer.cut_to(sizeof(CUpti_ActivityKernel8) - 1);
  RecordList beyond;
  decode_activities(one_record_walker, buffer.full(), beyond);
  EXPECT_EQ(beyond.operations.size(), 0U);
  EXPECT_EQ(beyond.lost_buffers, 1);
}

TEST(ActivityDecoder, AnEmptyBufferIsNothing) {
  RecordList list;
  EXPECT_EQ(decode_activities(real_walker(), FullBuffer{}, list), 0U);
  EXPECT_EQ(list.lost_buffers, 0);
}

/// Under the address sanitizer a read beyond a buffer, which is as long as it says, ends the test.
TEST(ActivityDecoder, NoBufferWhateverItsBytesAreIsReadBeyondItsEnd) {
  std::mt19937_64 random(20261203);
  const std::array<CUpti_ActivityKind, 10> kinds = {
      CUPTI_ACTIVITY_KIND_MEMCPY,          CUPTI_ACTIVITY_KIND_MEMSET,
      CUPTI_ACTIVITY_KIND_KERNEL,          CUPTI_ACTIVITY_KIND_DRIVER,
      CUPTI_ACTIVITY_KIND_RUNTIME,         CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
      CUPTI_ACTIVITY_KIND_OVERHEAD,        CUPTI_ACTIVITY_KIND_MEMCPY2,
      CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_MEMORY2};
  std::size_t records = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t size = random() % 1024;
    const auto bytes = std::make_unique<std::uint8_t[]>(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(random());
    // Kinds where records could begin, so that the walk goes on for a while.
    for (std::size_t at = 0; at + 4 <= size; at += 8) {
      if (random() % 4 == 0) continue;
      const auto kind = static_cast<std::uint32_t>(kinds[random() % kinds.size()]);
      std::memcpy(bytes.get() + at, &kind, sizeof kind);
    }
    RecordList list;
    decode_activities(real_walker(), {bytes.get(), size, nullptr, 0}, list);
    records += list.operations.size() + list.calls.size() + list.spans.size();
    ASSERT_LE(list.lost_buffers, 1);
    ASSERT_LE(records, std::size_t{20000} * 1024 / 32);
  }
  EXPECT_GT(records, 20000U);  // the walks did not all end at once
}

}  // namespace
}  // namespace gradwire
