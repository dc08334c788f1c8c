#include "compressors/reference/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace gradwire {
namespace {

constexpr RandomKey kKey{1, 0};

// The known answers of the authors' Random123 library (kat_vectors, philox4x32 10).
TEST(Philox, GivesTheKnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBelow, IsTheUpperHalfOfTheProduct) {
  for (const std::uint64_t bits : {0ULL, 1ULL, 0xffffffffULL, 0x123456789abcdef0ULL, ~0ULL}) {
    for (const std::uint64_t bound : {1ULL, 6ULL, 0xffffffffULL, 0x100000000ULL, ~0ULL}) {
      const auto product = static_cast<unsigned __int128>(bits) * bound;
      EXPECT_EQ(random_below(bits, bound), static_cast<std::uint64_t>(product >> 64));
    }
  }
}

TEST(RandomBelow, DrawsEveryNumberEquallyOften) {
  // 60,000 draws of 6: 10,000 each, standard deviation sqrt(60000 x 1/6 x 5/6) = 91; 5 of them.
  std::vector<int> counts(6);
  for (std::uint64_t i = 0; i < 60'000; ++i) ++counts[random_below(random_bits(kKey, 0, i)[0], 6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * 91.3);
}

TEST(RandomWord, IsAQuarterOfAPhilox) {
  const std::array<std::uint32_t, 4> words = philox4x32({5, 0, 7, 3}, {9, 0});
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(random_word({9, 3}, 7, 20 + i), words[i]);
}

TEST(RandomNormal, HasMeanZeroAndVarianceOne) {
  // Of 100,000: standard error of the mean 1 / sqrt(100000), of the variance sqrt(2 / 100000).
  double sum = 0.0;
  double squares = 0.0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const double value = random_normal(random_bits(kKey, 0, i));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1e5, 0.0, 5 / std::sqrt(1e5));
  EXPECT_NEAR(squares / 1e5, 1.0, 5 * std::sqrt(2 / 1e5));
}

TEST(RandomChoice, IsOfItsSizeAscendingAndWithoutDoubles) {
  for (std::uint64_t all = 1; all <= 40; ++all) {
    for (std::uint64_t chosen = 1; chosen <= all; ++chosen) {
      for (std::uint32_t exchange = 0; exchange < 5; ++exchange) {
        const RandomChoice choice(kKey, exchange, all, chosen);
        for (std::uint64_t i = 0; i < chosen; ++i) {
          ASSERT_LT(choice[i], all);
          if (i > 0) {
            ASSERT_LT(choice[i - 1], choice[i]) << all << ", " << chosen;
          }
        }
      }
    }
  }
}

TEST(RandomChoice, ChoosesEveryNumberEquallyOften) {
  // 20,000 choices of 3 of 10: 6,000 each, standard deviation sqrt(20000 x 0.3 x 0.7) = 65; 5 of
  // them. 10 is no multiple of 3, so the runs differ in length.
  std::vector<int> counts(10);
  for (std::uint32_t exchange = 0; exchange < 20'000; ++exchange) {
    const RandomChoice choice(kKey, exchange, 10, 3);
    for (std::uint64_t i = 0; i < 3; ++i) ++counts[choice[i]];
  }
  for (const int count : counts) EXPECT_NEAR(count, 6'000, 5 * 64.8);
}

TEST(RandomKey, DifferentSeedsRanksExchangesAndPlacesDrawDifferently) {
  std::set<std::uint64_t> drawn;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (int rank = 0; rank < 10; ++rank) {
      for (std::uint32_t exchange = 0; exchange < 10; ++exchange) {
        for (std::uint64_t index = 0; index < 10; ++index) {
          drawn.insert(random_bits(own_key(seed, rank), exchange, index)[0]);
        }
      }
    }
  }
  EXPECT_EQ(drawn.size(), 10'000U);
}

}  // namespace
}  // namespace gradwire
