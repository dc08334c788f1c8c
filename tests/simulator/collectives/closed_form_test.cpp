#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/collectives/registry.hpp"
#include "tests/support/closed_forms.hpp"

namespace gradwire {
namespace {

constexpr double kAlpha = 20e-6;
constexpr double kBandwidth = 10e9;
constexpr CollectiveKind kKinds[] = {CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                                     CollectiveKind::kReduceScatter, CollectiveKind::kBroadcast};

TEST(ClosedForm, IsTheOracleForEveryNFrom1To128AndAnyElementCount) {
  for (const CollectiveKind kind : kKinds) {
    for (int n = 1; n <= 128; ++n) {
      for (const std::int64_t elements :
           {std::int64_t{1}, std::int64_t{std::max(1, n - 1)}, std::int64_t{n}, std::int64_t{1000},
            std::int64_t{1'000'001}, std::int64_t{250'000'000}}) {
        const auto schedule = make_schedule({kind, Elements{elements}, Bytes{4}}, n);
        const double expected = test::oracle_seconds(kind, n, elements, kAlpha, kBandwidth);
        ASSERT_NEAR(schedule->closed_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count(),
                    expected, 1e-12 * expected)
            << name_of(kind) << " n " << n << " elements " << elements;
      }
    }
  }
}

TEST(TextbookForm, EqualsTheClosedFormWhereTheChunksDivideTheElements) {
  for (const CollectiveKind kind : kKinds) {
    for (int n = 2; n <= 128; ++n) {
      // A chunk of the chain is 512 KiB, 131072 floats: these elements are n whole ones.
      const std::int64_t elements = std::int64_t{131072} * n;
      const auto schedule = make_schedule({kind, Elements{elements}, Bytes{4}}, n);
      const double closed =
          schedule->closed_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count();
      const double textbook =
          schedule->textbook_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count();
      ASSERT_NEAR(textbook, closed, 1e-12 * closed) << name_of(kind) << " n " << n;
    }
  }
}

TEST(TextbookForm, IsBelowTheClosedFormWhereAChunkIsRoundedUp) {
  // 100 elements on 96 ranks: chunks of 2 where the textbook has 1.04.
  const auto schedule = make_schedule({CollectiveKind::kAllReduce, Elements{100}, Bytes{4}}, 96);
  const double textbook = schedule->textbook_form(Seconds{0}, BitsPerSecond{32}).count();
  EXPECT_NEAR(textbook, 190 * 100.0 / 96.0, 1e-9);  // 32 bit/s: an element a second
  EXPECT_NEAR(schedule->closed_form(Seconds{0}, BitsPerSecond{32}).count(), 190 * 2.0, 1e-9);
}

TEST(ClosedForm, OfOneRankIsNoTimeEvenWhereLatencyIsLarge) {
  for (const CollectiveKind kind : kKinds) {
    const auto schedule = make_schedule({kind, Elements{1'000'001}, Bytes{4}}, 1);
    EXPECT_EQ(schedule->rounds(), 0);
    EXPECT_TRUE(schedule->phases().empty());
    EXPECT_EQ(schedule->closed_form(Seconds{1}, BitsPerSecond{1}).count(), 0.0);
  }
}

}  // namespace
}  // namespace gradwire
