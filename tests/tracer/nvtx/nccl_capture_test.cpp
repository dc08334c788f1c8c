// The ranges of the real NCCL, called without a GPU, through the real library into a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <cstring>
#include <filesystem>

#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/marks/capture_contents.hpp"
#include "tests/tracer/marks/run_program.hpp"

namespace gradwire::test {
namespace {

using schema::HostEvent;
using testing::IsEmpty;
using testing::SizeIs;

std::uint64_t u64_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::int32_t i32_at(const std::string& bytes, std::size_t at) {
  std::int32_t value = -1;
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// What NCCL 2.28.9 pushes (schema ids of src/include/nvtx.h plus 1 << 24; layouts as its
/// nvtx_payload_schemas.h has them and as they were received here). All of one rank; integers in
/// the machine's order; bytes 0-7 are the communicator's hash, 0 here, as there is none.
///
///   call          | schema - (1 << 24) | size | bytes 8-15: count x size of type | then i32 each
///   AllGather     |  4                 |  16  | count = sent by a rank           |
///   AllReduce     |  5                 |  24  | count                            | operation
///   Broadcast     |  6                 |  24  | count                            | root
///   ReduceScatter |  7                 |  24  | count = received by a rank       | operation
///   Reduce        |  8                 |  24  | count                            | root, operation
///   Send          |  9                 |  24  | count                            | peer
///   Recv          | 10                 |  24  | count                            | peer
///   AlltoAll      | 16                 |  16  | count = sent to each rank        |
///   Gather        | 17                 |  24  | count = sent by a rank           | root
///   Scatter       | 18                 |  24  | count = received by a rank       | root
///   GroupStart, GroupEnd: a range without payload, between whose ends nothing is: what a group
///   holds are the calls after GroupStart's pop and before GroupEnd's push on the same thread.
///
/// Operations: sum 0, product 1, maximum 2, minimum 3, average 4; made ones from 5 on. What fills
/// a structure up to a multiple of 8 is not set.
struct NcclCall {
  std::string name;
  std::uint64_t schema = 0;
  std::size_t size = 0;
  std::uint64_t bytes = 0;
  std::vector<std::int32_t> rest;
};

const std::vector<NcclCall>& nccl_calls() {
  // The counts and types of nccl_program.cpp.
  static const std::vector<NcclCall> kCalls = {
    {"ncclAllReduce", 5, 24, 1024 * 4, {0}},
    {"ncclAllReduce", 5, 24, 10 * 2, {2}},
    {"ncclAllGather", 4, 16, 100 * 8, {}},
    {"ncclReduceScatter", 7, 24, 200 * 2, {4}},
    {"ncclBroadcast", 6, 24, 300 * 1, {3}},
    {"ncclReduce", 8, 24, 400 * 8, {2, 1}},
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    {"ncclAlltoAll", 16, 16, 700 * 2, {}},
    {"ncclGather", 17, 24, 800 * 4, {4}},
    {"ncclScatter", 18, 24, 900 * 8, {5}},
#endif
    {"ncclGroupStart", 0, 0, 0, {}},
    {"ncclSend", 9, 24, 500 * 4, {1}},
    {"ncclRecv", 10, 24, 600 * 4, {7}},
    {"ncclGroupEnd", 0, 0, 0, {}},
  };
  return kCalls;
}

TEST(NcclCapture, EachCallIsARangeWithItsBytes) {
  if (!std::filesystem::exists(GRADWIRE_NCCL_LIBRARY)) {
    GTEST_SKIP() << GRADWIRE_NCCL_LIBRARY << ", found when this was configured, is gone";
  }
  const CaptureContents capture =
      capture_of(GRADWIRE_TRACER_LIBRARY, {GRADWIRE_NCCL_PROGRAM, GRADWIRE_NCCL_LIBRARY});
  const std::uint64_t domain = capture.domain("NCCL");
  ASSERT_NE(domain, 0U);
  const auto events = capture.events_in(domain);
  ASSERT_THAT(events, SizeIs(2 * nccl_calls().size()));
  for (std::size_t i = 0; i < nccl_calls().size(); ++i) {
    const NcclCall& call = nccl_calls()[i];
    const HostEvent& push = events[2 * i];
    SCOPED_TRACE(call.name);
    EXPECT_EQ(push.kind(), HostEvent::NVTX_PUSH);
    EXPECT_EQ(push.text(), call.name);
    EXPECT_EQ(events[2 * i + 1].kind(), HostEvent::NVTX_POP);
    EXPECT_EQ(push.payload_kind(), call.schema == 0 ? 0 : (1U << 24U) + call.schema);
    EXPECT_EQ(push.payload().size(), call.size);
    EXPECT_EQ(u64_at(push.payload(), 0), 0U);
    EXPECT_EQ(u64_at(push.payload(), 8), call.bytes);
    for (std::size_t k = 0; k < call.rest.size(); ++k) {
      EXPECT_EQ(i32_at(push.payload(), 16 + 4 * k), call.rest[k]);
    }
  }
}

TEST(NcclCapture, NcclsOwnSwitchTurnsItsRangesOff) {
  if (!std::filesystem::exists(GRADWIRE_NCCL_LIBRARY)) {
    GTEST_SKIP() << GRADWIRE_NCCL_LIBRARY << ", found when this was configured, is gone";
  }
  const TemporaryFolder folder;
  const ProgramEnd end =
      run_program({GRADWIRE_NCCL_PROGRAM, GRADWIRE_NCCL_LIBRARY},
                  {std::string("NVTX_INJECTION64_PATH=") + GRADWIRE_TRACER_LIBRARY,
                   "NCCL_NVTX_DISABLE=1", "GRADWIRE_CAPTURE=" + (folder / "run").string()});
  EXPECT_EQ(end.status, 0);
  for (const auto& file : captures_in(folder.path())) {
    const CaptureContents capture = read_capture(file);
    EXPECT_THAT(capture.events_in(capture.domain("NCCL")), IsEmpty());
  }
}

}  // namespace
}  // namespace gradwire::test
