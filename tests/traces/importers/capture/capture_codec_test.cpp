#include "traces/importers/capture/capture_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/framed_chunk.hpp"
#include "tests/support/thrown.hpp"
#include "tests/traces/importers/capture/capture_file.hpp"

namespace gradwire {
namespace {

/// What can be read of a file, in order.
struct Contents {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> calls;
  std::vector<std::int64_t> events;
  CaptureEnd end;
};

Contents read(const std::string& bytes) {
  Contents contents;
  contents.end = decode_capture(bytes, "run.gwc", [&](CapturedChunk&& chunk) {
    for (const auto& item : chunk.operations) contents.starts.push_back(item.start.count());
    for (const auto& item : chunk.calls) contents.calls.push_back(item.start.count());
    for (const auto& item : chunk.events) contents.events.push_back(item.time.count());
  });
  return contents;
}

template <class Values>
bool is_prefix(const Values& part, const Values& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST(CaptureCodec, ReadsMarksOfACaptureWithoutKernels) {
  test::CaptureFile file;
  file.mark(1, 7, 100, 42).fact("kernels", "no driver").parameter(3, "w", "float32", {2, 5});
  std::vector<CapturedEvent> events;
  decode_capture(file.bytes(), "run.gwc", [&](CapturedChunk&& chunk) {
    events.insert(events.end(), chunk.events.begin(), chunk.events.end());
  });
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, CapturedEventKind::kMark);
  EXPECT_EQ(events[0].id, 1u);
  EXPECT_EQ(events[0].value, 7u);
  EXPECT_EQ(events[0].thread, 42u);
  EXPECT_EQ(events[0].time, Nanoseconds{test::kCaptureBase + 100'000});
  EXPECT_EQ(events[2].text, "w");
  EXPECT_EQ(events[2].payload, std::string("float32\0\x02\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0", 24));
}

TEST(CaptureCodec, AFileCutAnywhereGivesAPrefixOfItsRecords) {
  const std::string bytes = test::training_capture(3).bytes();
  const Contents whole = read(bytes);
  ASSERT_TRUE(whole.end.closed);
  ASSERT_EQ(whole.starts.size(), 21u);
  std::size_t longest = 0;
  for (std::size_t size = 12; size < bytes.size(); ++size) {
    const Contents part = read(bytes.substr(0, size));
    EXPECT_TRUE(is_prefix(part.starts, whole.starts)) << size;
    EXPECT_TRUE(is_prefix(part.calls, whole.calls)) << size;
    EXPECT_TRUE(is_prefix(part.events, whole.events)) << size;
    EXPECT_FALSE(part.end.closed) << size;
    EXPECT_GE(part.starts.size(), longest) << size;  // more of the file is never fewer records
    longest = part.starts.size();
  }
  EXPECT_EQ(longest, 21u);
}

TEST(CaptureCodec, SaysWhereAFileIsCut) {
  const std::string bytes = test::training_capture(1).bytes(false);
  const std::size_t first = FramedChunk::kFrameSize + framed_chunk_at(bytes, 12).length;
  EXPECT_EQ(read(bytes.substr(0, 12 + first)).end.loss, "");
  EXPECT_EQ(read(bytes.substr(0, 12 + first - 1)).end.loss,
            "byte 12: the last chunk is cut off; it was dropped");
}

TEST(CaptureCodec, AFlippedByteIsRefusedOrOnlyCostsTheLastChunk) {
  const std::string bytes = test::training_capture(2).bytes();
  const Contents whole = read(bytes);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x20);
    try {
      const Contents part = read(flipped);
      EXPECT_TRUE(is_prefix(part.starts, whole.starts)) << at;
      EXPECT_FALSE(part.end.closed && part.end.loss.empty()) << at;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, bytes.size() / 2);
}

TEST(CaptureCodec, RefusesWhatIsNoCapture) {
  const std::string bytes = test::training_capture(1).bytes();
  std::string later = bytes;
  later[8] = 2;
  EXPECT_EQ(test::input_error_of([&] { read(later); }),
            "run.gwc: byte 8: format version 2 found; version 1 is accepted");
  for (const std::string& other : {std::string(), bytes.substr(0, 11), std::string(40, 'x')}) {
    EXPECT_EQ(test::input_error_of([&] { read(other); }),
              "run.gwc: byte 0: not a capture of gradwire's tracer (.gwc)");
  }
}

TEST(CaptureCodec, RefusesAHugeChunkBeforeReadingIt) {
  std::string bytes = test::training_capture(1).bytes().substr(0, 12);
  append_u32(bytes, 0xFFFFFFF0U);
  append_u32(bytes, 0);
  EXPECT_EQ(test::input_error_of([&] { read(bytes); }),
            "run.gwc: byte 12: a chunk of 4294967280 bytes; less than 16777216 is accepted");
}

TEST(CaptureCodec, RefusesDamageBeforeTheLastChunk) {
  std::string bytes = test::training_capture(2).bytes();
  bytes[40] = static_cast<char>(bytes[40] ^ 1);
  EXPECT_EQ(test::input_error_of([&] { read(bytes); }),
            "run.gwc: byte 12: a chunk is damaged (its CRC32C does not fit)");
}

TEST(CaptureCodec, IgnoresWhatStandsBehindTheClosingChunk) {
  const Contents contents = read(test::training_capture(1).bytes() + "more");
  EXPECT_TRUE(contents.end.closed);
  EXPECT_THAT(contents.end.loss, testing::EndsWith("bytes behind the closing chunk were ignored"));
}

}  // namespace
}  // namespace gradwire
