#include "tracer/capture/capture_encoder.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>

#include "base/framed_chunk.hpp"
#include "tests/tracer/capture/capture_chunks.hpp"

namespace gradwire {
namespace {

DeviceOperation kernel(const char* name, std::uint64_t start_ns, std::uint64_t end_ns) {
  DeviceOperation operation;
  operation.name = name;
  operation.start_ns = start_ns;
  operation.end_ns = end_ns;
  return operation;
}

class CaptureEncoderTest : public ::testing::Test {
 protected:
  CaptureEncoderTest() { opened_ = encoder_.open(); }
  void SetUp() override { ASSERT_TRUE(opened_); }

  schema::CaptureChunk taken() { return test::chunk_of(encoder_.take_frame()); }

  CaptureEncoder encoder_;
  bool opened_ = false;
};

TEST_F(CaptureEncoderTest, AFrameIsThatOfTheOtherFiles) {
  encoder_.put_closing();
  const std::string_view frame = encoder_.take_frame();
  std::string expected;
  append_framed_chunk(expected, frame.substr(FramedChunk::kFrameSize));
  EXPECT_EQ(frame, expected);
  EXPECT_TRUE(test::chunk_of(frame).closing());
}

TEST_F(CaptureEncoderTest, EveryFieldOfAnOperationComesBack) {
  DeviceOperation operation =
      kernel("_Z3addPf", 1'700'000'000'000'000'000U, 1'700'000'000'000'000'900U);
  operation.device = 7;
  operation.context = 1;
  operation.stream = 0xFFFFFFFFU;
  operation.correlation = 123'456;
  operation.grid = {65535, 2, 1};
  operation.block = {1024, 1, 0};
  operation.registers = 255;
  operation.static_shared_bytes = 48;
  operation.dynamic_shared_bytes = 227U << 10U;
  operation.graph = 5;
  operation.graph_node = std::numeric_limits<std::uint64_t>::max();
  encoder_.put(operation);
  DeviceOperation copy;
  copy.kind = OperationKind::kMemcpyPeer;
  copy.start_ns = 1'700'000'000'000'000'100U;
  copy.end_ns = 1'700'000'000'000'000'101U;
  copy.bytes = std::uint64_t{5} << 32U;
  copy.copy_kind = 10;
  encoder_.put(copy);
  const schema::CaptureChunk chunk = taken();
  ASSERT_EQ(chunk.operations_size(), 2);
  EXPECT_EQ(chunk.names(static_cast<int>(chunk.operations(0).name())), "_Z3addPf");
  EXPECT_EQ(chunk.base_time_ns() + chunk.operations(0).start_ns(), 1'700'000'000'000'000'000);
  const schema::DeviceOperation& first = chunk.operations(0);
  EXPECT_EQ(first.kind(), schema::DeviceOperation::KERNEL);
  EXPECT_EQ(first.duration_ns(), 900);
  EXPECT_FALSE(first.untimed());
  EXPECT_EQ(first.device(), 7U);
  EXPECT_EQ(first.context(), 1U);
  EXPECT_EQ(first.stream(), 0xFFFFFFFFU);
  EXPECT_EQ(first.correlation(), 123'456U);
  EXPECT_EQ((std::vector<unsigned>{first.grid().begin(), first.grid().end()}),
            (std::vector<unsigned>{65535, 2, 1}));
  EXPECT_EQ((std::vector<unsigned>{first.block().begin(), first.block().end()}),
            (std::vector<unsigned>{1024, 1, 0}));
  EXPECT_EQ(first.registers(), 255U);
  EXPECT_EQ(first.static_shared_bytes(), 48U);
  EXPECT_EQ(first.dynamic_shared_bytes(), 227U << 10U);
  EXPECT_EQ(first.graph(), 5U);
  EXPECT_EQ(first.graph_node(), std::numeric_limits<std::uint64_t>::max());
  const schema::DeviceOperation& second = chunk.operations(1);
  EXPECT_EQ(second.kind(), schema::DeviceOperation::MEMCPY_PEER);
  EXPECT_EQ(second.start_ns(), 100);
  EXPECT_EQ(second.bytes(), std::uint64_t{5} << 32U);
  EXPECT_EQ(second.copy_kind(), 10U);
  EXPECT_EQ(second.grid_size(), 0);
}

TEST_F(CaptureEncoderTest, WhatCameEarlierThanAChunksFirstRecordHasANegativeTime) {
  encoder_.put(kernel("a", 1000, 1100));
  encoder_.put(kernel("a", 900, 950));
  encoder_.put(kernel("a", 2000, 1990));  // a profiler's fault: kept as it is
  const schema::CaptureChunk chunk = taken();
  EXPECT_EQ(chunk.base_time_ns(), 1000);
  EXPECT_EQ(chunk.operations(1).start_ns(), -100);
  EXPECT_EQ(chunk.operations(2).duration_ns(), -10);
}

TEST_F(CaptureEncoderTest, ATimeOfZeroInFrontDoesNotMoveTheOthers) {
  HostCall call;
  encoder_.put(call);
  encoder_.put(kernel("a", 5000, 5100));
  const schema::CaptureChunk chunk = taken();
  EXPECT_EQ(chunk.base_time_ns() + chunk.calls(0).start_ns(), 0);
  EXPECT_EQ(chunk.base_time_ns() + chunk.operations(0).start_ns(), 5000);
}

TEST_F(CaptureEncoderTest, AnUntimedKernelHasNoTimeAndIsNoBase) {
  DeviceOperation operation = kernel("a", 0, 0);
  operation.untimed = true;
  encoder_.put(operation);
  encoder_.put(kernel("a", 5000, 5100));
  const schema::CaptureChunk chunk = taken();
  EXPECT_TRUE(chunk.operations(0).untimed());
  EXPECT_EQ(chunk.base_time_ns(), 5000);
}

TEST_F(CaptureEncoderTest, ANameIsWrittenOnceAFileAndEveryChunkHasItsOwnBase) {
  encoder_.put(kernel("a", 1000, 1100));
  encoder_.put(kernel("b", 1200, 1300));
  EXPECT_EQ(taken().names_size(), 2);
  encoder_.put(kernel("b", 3000, 3100));
  encoder_.put(kernel("c", 3200, 3300));
  const schema::CaptureChunk second = taken();
  ASSERT_EQ(second.names_size(), 1);
  EXPECT_EQ(second.names(0), "c");
  EXPECT_EQ(second.operations(0).name(), 1U);
  EXPECT_EQ(second.operations(1).name(), 2U);
  EXPECT_EQ(second.base_time_ns(), 3000);
}

TEST_F(CaptureEncoderTest, CallsSpansDevicesAndTalliesComeBack) {
  encoder_.put(HostCall{307, true, 100, 150, 4242, 77, -1});
  encoder_.put(CaptureSpan{CaptureSpanKind::kOverhead, 2, 90, 95, 3, 4});
  encoder_.put(CaptureDevice{1, "NVIDIA \xff", 132, std::uint64_t{140} << 30U, 9, 0});
  CaptureCounts counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  encoder_.put(counts);
  const schema::CaptureChunk chunk = taken();
  EXPECT_EQ(chunk.calls(0).callback(), 307U);
  EXPECT_TRUE(chunk.calls(0).driver());
  EXPECT_EQ(chunk.calls(0).duration_ns(), 50);
  EXPECT_EQ(chunk.calls(0).thread(), 4242U);
  EXPECT_EQ(chunk.calls(0).correlation(), 77U);
  EXPECT_EQ(chunk.calls(0).result(), -1);
  EXPECT_EQ(chunk.spans(0).kind(), schema::CaptureSpan::OVERHEAD);
  EXPECT_EQ(chunk.spans(0).start_ns(), -10);
  EXPECT_EQ(chunk.spans(0).stream(), 3U);
  EXPECT_EQ(chunk.spans(0).correlation(), 4U);
  EXPECT_EQ(chunk.devices(0).name(), "NVIDIA ?");  // no parser takes other bytes than UTF-8
  EXPECT_EQ(chunk.devices(0).memory_bytes(), std::uint64_t{140} << 30U);
  EXPECT_EQ(chunk.devices(0).compute_major(), 9U);
  EXPECT_EQ(chunk.tally().operations(), 1U);
  EXPECT_EQ(chunk.tally().dropped_events(), 5U);
  EXPECT_EQ(chunk.tally().unreturned_buffers(), 8U);
  EXPECT_EQ(chunk.tally().realtime_ns(), 9);
  EXPECT_EQ(chunk.tally().monotonic_ns(), 10);
}

TEST_F(CaptureEncoderTest, AHostEventKeepsItsBytesWhateverTheyAre) {
  const std::string text(kMaxEventBytes, '\xfe');
  const std::string payload("\0\1\2", 3);
  TimedHostEvent timed;
  timed.event = {HostEventKind::kNvtxString,      1, 2, 3, {text.data(), text.size()}, 4,
                 {payload.data(), payload.size()}};
  timed.time_ns = 10;
  timed.thread = 11;
  encoder_.put(timed);
  const schema::CaptureChunk chunk = taken();
  const schema::HostEvent& event = chunk.events(0);
  EXPECT_EQ(event.kind(), schema::HostEvent::NVTX_STRING);
  EXPECT_EQ(event.id(), 1U);
  EXPECT_EQ(event.value(), 2U);
  EXPECT_EQ(event.domain(), 3U);
  EXPECT_EQ(event.text(), text);
  EXPECT_EQ(event.payload_kind(), 4U);
  EXPECT_EQ(event.payload(), payload);
  EXPECT_EQ(event.thread(), 11U);
}

TEST_F(CaptureEncoderTest, TheHeaderTellsOnlyWhatIsKnown) {
  CaptureOptions options;
  options.rank = 0;
  options.iterations = 30;
  const CaptureFact facts[] = {{"tracer", "1"}, {"cupti", "130001"}};
  encoder_.put({4711, "node", "python train.py", facts, 2}, options);
  const schema::CaptureChunk chunk = taken();
  EXPECT_EQ(chunk.header().process(), 4711);
  EXPECT_EQ(chunk.header().command(), "python train.py");
  EXPECT_TRUE(chunk.header().has_rank());
  EXPECT_EQ(chunk.header().rank(), 0);
  EXPECT_FALSE(chunk.header().has_world_size());
  EXPECT_FALSE(chunk.header().has_skip_iterations());
  EXPECT_EQ(chunk.header().keep_iterations(), 30);
  EXPECT_EQ(chunk.header().facts(1).value(), "130001");
}

// The longest names that are kept and the longest events, one after the other.
TEST_F(CaptureEncoderTest, AChunkThatIsTakenWhenFullIsFarBelowSixteenMebibytes) {
  std::deque<std::string> names;
  const std::string bytes(kMaxEventBytes, 'x');
  for (int i = 0; i < 400; ++i) {
    names.push_back(std::to_string(i) + std::string(100'000, 'n'));
    encoder_.put(kernel(names.back().c_str(), 1, 2));
    TimedHostEvent timed;
    timed.event.text = timed.event.payload = {bytes.data(), bytes.size()};
    encoder_.put(timed);
    if (!encoder_.full()) continue;
    const std::string_view frame = encoder_.take_frame();
    EXPECT_GE(frame.size(), CaptureEncoder::kChunkBytes);
    EXPECT_LT(frame.size(), CaptureEncoder::kChunkBytes + CaptureEncoder::kMaxRecordBytes);
    test::chunk_of(frame);
  }
}

}  // namespace
}  // namespace gradwire
