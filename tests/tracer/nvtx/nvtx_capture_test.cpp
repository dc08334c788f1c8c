// Programs with NVTX through the real library into a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "tests/tracer/marks/capture_contents.hpp"

namespace gradwire::test {
namespace {

using schema::HostEvent;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kTracer = GRADWIRE_TRACER_LIBRARY;

std::uint64_t u64_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

TEST(NvtxCapture, TwoLibrariesOfOneDomainShareIt) {
  const CaptureContents capture = capture_of(kTracer, {GRADWIRE_NVTX_PROGRAM, "objects"});
  EXPECT_TRUE(capture.closed);
  const auto events = capture.events_in(capture.domain("gradwire"));
  ASSERT_THAT(events, SizeIs(6));
  EXPECT_EQ(events[0].kind(), HostEvent::NVTX_PUSH);
  EXPECT_EQ(events[0].text(), "first_object");
  EXPECT_EQ(events[0].payload_kind(), 2U);  // nvtxPayloadType_t: int64
  EXPECT_EQ(u64_at(events[0].payload(), 0), 1U);
  EXPECT_EQ(events[1].text(), "first_object");
  EXPECT_EQ(u64_at(events[1].payload(), 0), 0U);
  EXPECT_EQ(events[2].kind(), HostEvent::NVTX_POP);
  EXPECT_EQ(events[3].kind(), HostEvent::NVTX_POP);
  EXPECT_EQ(events[4].text(), "second_object");
}

TEST(NvtxCapture, RangesNestOnEachThread) {
  const CaptureContents capture = capture_of(kTracer, {GRADWIRE_NVTX_PROGRAM, "threads"});
  EXPECT_EQ(capture.tally.dropped_events(), 0U);
  std::map<std::uint64_t, std::vector<std::string>> open;
  std::map<std::uint64_t, std::size_t> ranges;
  for (const HostEvent& event : capture.events_in(capture.domain("gradwire"))) {
    auto& stack = open[event.thread()];
    if (event.kind() == HostEvent::NVTX_PUSH) {
      if (!stack.empty()) {
        EXPECT_EQ(stack.back(), event.text()) << "the libraries' calls do not mix";
      }
      stack.push_back(event.text());
      ++ranges[event.thread()];
    } else {
      ASSERT_FALSE(stack.empty());
      stack.pop_back();
    }
  }
  ASSERT_THAT(ranges, SizeIs(4));
  for (const auto& [thread, count] : ranges) {
    EXPECT_EQ(count, 500 * (3 + 2U));
    EXPECT_THAT(open[thread], IsEmpty());
  }
}

TEST(NvtxCapture, OtherDomainsAreRecordedOnlyWhenAskedFor) {
  const CaptureContents silent = capture_of(kTracer, {GRADWIRE_NVTX_PROGRAM, "plain"});
  EXPECT_THAT(silent.events_in(0), IsEmpty());
  EXPECT_EQ(silent.domain("somebody's"), 0U);
  const CaptureContents capture =
      capture_of(kTracer, {GRADWIRE_NVTX_PROGRAM, "plain"}, {"GRADWIRE_NVTX=1"});
  const auto plain = capture.events_in(0);
  ASSERT_THAT(plain, SizeIs(3));
  EXPECT_EQ(plain[0].text(), "autograd::AccumulateGrad, op_id = 1, sizes = [[3, 4]]");
  EXPECT_EQ(plain[1].kind(), HostEvent::NVTX_MARK);
  EXPECT_EQ(plain[1].text(), "m\xc3\xa4rk");
  const auto others = capture.events_in(capture.domain("somebody's"));
  ASSERT_THAT(others, SizeIs(2));
  EXPECT_EQ(others[0].kind(), HostEvent::NVTX_START);
  EXPECT_EQ(others[0].text(), "in a domain");
  EXPECT_EQ(others[1].kind(), HostEvent::NVTX_END);
  EXPECT_EQ(others[1].value(), others[0].value());
}

}  // namespace
}  // namespace gradwire::test
