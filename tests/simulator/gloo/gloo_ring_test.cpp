#include "simulator/gloo/gloo_ring.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

constexpr Bytes kMebibyte{1 << 20};

TEST(GlooSegments, SmallBuffersAreCutIntoTwoSegmentsARank) {
  // 1000 floats on 4 ranks: 8 segments of 125 floats.
  const GlooSegments segments = gloo_segments(Elements{1000}, Bytes{4}, 4, kMebibyte);
  EXPECT_EQ(segments.count, 8);
  EXPECT_EQ(segments.bytes, Bytes{500});
}

TEST(GlooSegments, LargeBuffersAreCutIntoEqualSegmentsBelowTheLimit) {
  // 25 MiB on 4 ranks: at least 25 segments, the next multiple of 4 is 28; 26214400 / 28 =
  // 936228.57, in whole floats 936232.
  const GlooSegments segments = gloo_segments(Elements{25 * (1 << 18)}, Bytes{4}, 4, kMebibyte);
  EXPECT_EQ(segments.count, 28);
  EXPECT_EQ(segments.bytes, Bytes{936'232});
}

TEST(GlooSegments, ARankSendsAllSegmentsButItsOwnInAPass) {
  // 7 of 28 segments stay: 21 x 936232 B, 72 B above 3/4 of 25 MiB.
  EXPECT_EQ(gloo_bytes_a_pass(Elements{25 * (1 << 18)}, Bytes{4}, 4, kMebibyte),
            Bytes{21 * 936'232});
}

TEST(GlooSegments, ARankNeverSendsMoreThanTheBufferInAPass) {
  for (std::int64_t elements = 1; elements < 40; ++elements) {
    EXPECT_LE(gloo_bytes_a_pass(Elements{elements}, Bytes{2}, 8, kMebibyte), Bytes{2 * elements});
  }
}

}  // namespace
}  // namespace gradwire
