#include "traces/model/trace_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/input_file.hpp"
#include "tests/support/sample_trace.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kHeadSize = 12;  // 8 bytes of magic, 4 of version
constexpr std::size_t kFrameSize = 8;  // 4 bytes of length, 4 of CRC32C

/// Where each chunk's frame starts, from the lengths that the frames name.
std::vector<std::size_t> chunk_starts(const std::string& file) {
  std::vector<std::size_t> starts;
  for (std::size_t at = kHeadSize; at < file.size();) {
    starts.push_back(at);
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length |= std::size_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
    }
    at += kFrameSize + length;
  }
  return starts;
}

std::string refusal_of(const std::string& file) {
  return test::input_error_of([&] { decode_trace(file, "a.gwt"); });
}

TEST(TraceCodec, ATraceIsReadBackAsItWas) {
  const Trace trace = test::sample_trace();
  const DecodedTrace decoded = decode_trace(encode_trace(trace), "a.gwt");
  EXPECT_EQ(decoded.trace, trace);
  EXPECT_TRUE(decoded.losses.empty());
}

TEST(TraceCodec, AnEmptyTraceIsReadBackAsOne) {
  const DecodedTrace decoded = decode_trace(encode_trace(Trace{}), "a.gwt");
  EXPECT_EQ(decoded.trace, Trace{});
  EXPECT_TRUE(decoded.losses.empty());
}

TEST(TraceCodec, ATraceOfManyChunksIsReadBackInOrder) {
  Trace trace = test::sample_trace();
  trace.communications.clear();
  trace.kernels.resize(1);
  while (trace.kernels.size() < 150'000) {
    Kernel next = trace.kernels.back();
    next.start += Nanoseconds{7};
    trace.kernels.push_back(next);
  }
  const std::string file = encode_trace(trace);
  EXPECT_GT(chunk_starts(file).size(), 4U);
  EXPECT_EQ(decode_trace(file, "a.gwt").trace, trace);
}

// 20,000 names of 1,000 letters are 20 MB; a chunk is below 16 MiB.
TEST(TraceCodec, NamesThatOutgrowOneChunkAreReadBack) {
  Trace trace;
  for (int i = 0; i < 20'000; ++i) trace.names.push_back(std::to_string(i) + std::string(995, 'k'));
  EXPECT_EQ(decode_trace(encode_trace(trace), "a.gwt").trace, trace);
}

TEST(TraceCodec, ANameThatIsNoUtf8IsKeptReadable) {
  Trace trace;
  trace.names = {"kernel<\xff\xfe>"};
  const DecodedTrace decoded = decode_trace(encode_trace(trace), "a.gwt");
  EXPECT_TRUE(decoded.losses.empty());
  ASSERT_EQ(decoded.trace.names.size(), 1U);
  EXPECT_THAT(decoded.trace.names.front(), AllOf(StartsWith("kernel<"), HasSubstr(">")));
}

TEST(TraceCodec, EqualTracesAreEqualFiles) {
  EXPECT_EQ(encode_trace(test::sample_trace()), encode_trace(test::sample_trace()));
}

TEST(TraceCodec, AFileIsKnownByItsFirstBytes) {
  EXPECT_TRUE(is_gwt(encode_trace(Trace{}).substr(0, 8)));
  EXPECT_FALSE(is_gwt("{\"traceEvents\": []}"));
  EXPECT_FALSE(is_gwt(""));
}

TEST(TraceCodec, AFileOfAnotherKindIsRefused) {
  EXPECT_THAT(refusal_of("{\"traceEvents\": []}"),
              AllOf(StartsWith("a.gwt: byte 0:"), HasSubstr("not a gradwire trace")));
  EXPECT_THAT(refusal_of(""), HasSubstr("not a gradwire trace"));
}

TEST(TraceCodec, AnotherVersionIsRefusedAndBothVersionsAreNamed) {
  std::string file = encode_trace(test::sample_trace());
  file[8] = 2;
  EXPECT_THAT(refusal_of(file), AllOf(StartsWith("a.gwt: byte 8:"), HasSubstr("version 2 found"),
                                      HasSubstr("version 1 is accepted")));
}

TEST(TraceCodec, AFileCutAnywhereGivesARefusalOrASaidLossAndNothingMadeUp) {
  const Trace trace = test::sample_trace();
  const std::string file = encode_trace(trace);
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    std::optional<DecodedTrace> decoded;
    try {
      decoded = decode_trace(file.substr(0, size), "a.gwt");
    } catch (const InputError& error) {
      EXPECT_LT(size, kHeadSize) << error.what();
      continue;
    }
    ASSERT_EQ(decoded->losses.size(), 1U);
    EXPECT_THAT(decoded->losses.front(), StartsWith("byte "));
    // What is kept is the beginning of what was there.
    const std::vector<Kernel>& kept = decoded->trace.kernels;
    ASSERT_LE(kept.size(), trace.kernels.size());
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), trace.kernels.begin()));
    EXPECT_LE(decoded->trace.gradients.size(), trace.gradients.size());
  }
}

TEST(TraceCodec, AFlippedByteAnywhereIsRefusedOrSaid) {
  const std::string file = encode_trace(test::sample_trace());
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE(at);
      std::string damaged = file;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^
                                      static_cast<unsigned char>(mask));
      try {
        EXPECT_FALSE(decode_trace(damaged, "a.gwt").losses.empty()) << "the damage went unnoticed";
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), StartsWith("a.gwt: "));
      }
    }
  }
}

TEST(TraceCodec, ADamagedChunkInTheMiddleIsRefusedWithItsPlace) {
  std::string file = encode_trace(test::sample_trace());
  const std::vector<std::size_t> starts = chunk_starts(file);
  ASSERT_GE(starts.size(), 3U);
  file[starts[1] + kFrameSize] ^= 1;
  EXPECT_THAT(refusal_of(file), AllOf(StartsWith("a.gwt: byte " + std::to_string(starts[1]) + ":"),
                                      HasSubstr("CRC32C")));
}

TEST(TraceCodec, ADamagedLastChunkIsDroppedAndSaid) {
  const Trace trace = test::sample_trace();
  std::string file = encode_trace(trace);
  file.back() ^= 1;
  const DecodedTrace decoded = decode_trace(file, "a.gwt");
  EXPECT_EQ(decoded.trace, trace);  // the last chunk holds counts only
  ASSERT_EQ(decoded.losses.size(), 1U);
  EXPECT_THAT(decoded.losses.front(), HasSubstr("the last chunk is damaged"));
}

TEST(TraceCodec, WhatStandsBehindTheClosingChunkIsSaid) {
  const Trace trace = test::sample_trace();
  const std::string file = encode_trace(trace);
  for (const std::string& more : {std::string("x"), file}) {
    const DecodedTrace decoded = decode_trace(file + more, "a.gwt");
    EXPECT_EQ(decoded.trace, trace);
    ASSERT_EQ(decoded.losses.size(), 1U);
    EXPECT_EQ(decoded.losses.front(), "byte " + std::to_string(file.size()) + ": " +
                                          std::to_string(more.size()) +
                                          " bytes behind the closing chunk were ignored");
  }
}

TEST(TraceCodec, AChunkThatIsMissingInTheMiddleIsNoticed) {
  std::string file = encode_trace(test::sample_trace());
  const std::vector<std::size_t> starts = chunk_starts(file);
  // Head, names, kernels, communications, gradients, totals.
  ASSERT_EQ(starts.size(), 6U);
  file.erase(starts[2], starts[3] - starts[2]);
  EXPECT_THAT(refusal_of(file), HasSubstr("5 kernels, but 0"));
}

TEST(TraceCodec, AHugeChunkLengthIsRefusedBeforeAnythingIsRead) {
  std::string file = encode_trace(Trace{});
  file[kHeadSize + 3] = '\x7f';
  EXPECT_THAT(refusal_of(file), HasSubstr("less than 16777216 is accepted"));
}

TEST(TraceCodec, AnInvalidTraceIsNotWritten) {
  Trace trace = test::sample_trace();
  trace.kernels[1].duration = Nanoseconds{-1};
  EXPECT_THROW(encode_trace(trace), BugError);
}

TEST(TraceCodec, AFileIsWrittenAndReadBack) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.gwt";
  write_trace(test::sample_trace(), path);
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_EQ(read_trace(path).trace, test::sample_trace());
  EXPECT_EQ(read_whole_file(path), encode_trace(test::sample_trace()));
}

TEST(TraceCodec, APathThatCannotBeWrittenIsRefusedByName) {
  const test::TemporaryFolder folder;
  const auto path = folder / "missing" / "a.gwt";
  EXPECT_THAT(test::thrown_by<EnvironmentError>([&] { write_trace(test::sample_trace(), path); }),
              HasSubstr(path.string()));
}

}  // namespace
}  // namespace gradwire
