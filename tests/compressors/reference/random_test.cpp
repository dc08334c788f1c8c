#include "compressors/reference/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace gradwire {
namespace {

TEST(Random, DrawsEveryRemainderEquallyOften) {
  // 60,000 draws of 6: 10,000 each, standard deviation sqrt(60000 x 1/6 x 5/6) = 91; 5 of them.
  Random random(1, 0);
  std::vector<int> counts(6);
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * 91.3);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  // Of 100,000: standard error of the mean 1 / sqrt(100000), of the variance sqrt(2 / 100000).
  Random random(1, 0);
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1e5, 0.0, 5 / std::sqrt(1e5));
  EXPECT_NEAR(squares / 1e5, 1.0, 5 * std::sqrt(2 / 1e5));
}

TEST(Random, SubsetsAreOfTheirSizeAndAscending) {
  Random random(1, 0);
  for (std::int64_t chosen = 0; chosen <= 10; ++chosen) {
    const std::vector<std::int64_t> subset = random.subset(10, chosen);
    EXPECT_EQ(static_cast<std::int64_t>(subset.size()), chosen);
    EXPECT_EQ(std::set<std::int64_t>(subset.begin(), subset.end()).size(), subset.size());
    EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    for (const std::int64_t number : subset) EXPECT_TRUE(number >= 0 && number < 10);
  }
}

TEST(Random, StreamsOfOneSeedDiffer) {
  std::set<std::uint64_t> drawn;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (int rank = 0; rank < 30; ++rank) {
      drawn.insert(Random(seed, own_stream(rank)).below(std::uint64_t{1} << 62));
    }
  }
  EXPECT_EQ(drawn.size(), 900U);
}

}  // namespace
}  // namespace gradwire
