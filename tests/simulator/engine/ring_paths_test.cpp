// The ring by its longest paths against the ring round by round.
#include "simulator/engine/recurrence/ring_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "simulator/engine/recurrence/ring_kernel.hpp"

namespace gradwire {
namespace {

/// One ring: what RingPaths::play takes.
struct Ring {
  int rounds = 0;
  std::vector<double> bytes;
  std::vector<double> seconds_per_byte;
  double alpha = 0.0;
  std::vector<double> starts;
};

std::vector<double> round_after_round(const Ring& ring) {
  const std::size_t n = ring.starts.size();
  std::vector<double> now = ring.starts;
  std::vector<double> next(n);
  std::vector<double> cost(n);
  for (int round = 0; round < ring.rounds; ++round) {
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t chunk = (rank + 4 * n - static_cast<std::size_t>(round)) % n;
      cost[rank] = ring.alpha + ring.bytes[chunk] * ring.seconds_per_byte[rank];
    }
    ring_round(now.data(), cost.data(), next.data(), n);
    now.swap(next);
  }
  return now;
}

/// 300 to 400 ranks, chunks that differ by one element, links of up to 4 speeds a node of 4 or in
/// no order, starts that are equal, of two values, or spread over less than a round to many rounds.
Ring random_ring(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const std::size_t n = 300 + below(101);
  Ring ring;
  ring.rounds = static_cast<int>(below(2) == 0 ? 2 * (n - 1) : 1 + below(3 * n));
  ring.alpha = 1e-6 * static_cast<double>(below(30));
  const std::uint64_t elements = below(2000);
  for (std::size_t i = 0; i < n; ++i) {
    ring.bytes.push_back(4.0 * static_cast<double>(elements / n + (i < elements % n ? 1 : 0)));
  }
  std::vector<double> speeds(1 + below(4));
  for (double& speed : speeds) speed = 1e-9 * static_cast<double>(1 + below(100));
  const bool by_node = below(2) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t speed = by_node ? (i % 4 == 3 ? speeds.size() - 1 : 0) : below(speeds.size());
    ring.seconds_per_byte.push_back(speeds[speed]);
  }
  const double spread = std::pow(10.0, -static_cast<double>(below(8)));
  const std::uint64_t values = below(3) == 0 ? 2 : 1 + below(1000);
  for (std::size_t i = 0; i < n; ++i) {
    ring.starts.push_back(spread * static_cast<double>(below(values)) / 1000.0);
  }
  return ring;
}

TEST(RingPaths, EveryRankOfRandomRingsEndsWhereItDoesRoundAfterRound) {
  std::mt19937_64 random(1);
  RingPaths paths;
  int played = 0;
  for (int i = 0; i < 400; ++i) {
    const Ring ring = random_ring(random);
    std::vector<double> ends = ring.starts;
    if (!paths.play(ring.rounds, ring.bytes, ring.seconds_per_byte, ring.rounds * ring.alpha, ends))
      continue;
    ++played;
    const std::vector<double> expected = round_after_round(ring);
    for (std::size_t rank = 0; rank < ends.size(); ++rank) {
      ASSERT_NEAR(ends[rank], expected[rank], 1e-11 * expected[rank]) << "ring " << i;
    }
  }
  EXPECT_GT(played, 300);
}

TEST(RingPaths, RingsWhoseRanksEachStartBeforeTheOneInFrontAreLeftToTheRoundsWithStartsAsTheyWere) {
  // On links of one speed every rank's start is still seen n-1 ranks on: a piece a rank.
  Ring ring{598, {}, std::vector<double>(300, 1e-9), 1e-6, {}};
  ring.bytes.assign(300, 4.0);
  for (int rank = 0; rank < 300; ++rank) ring.starts.push_back(1.0 - 1e-3 * rank);
  std::vector<double> times = ring.starts;
  EXPECT_FALSE(RingPaths().play(ring.rounds, ring.bytes, ring.seconds_per_byte,
                                ring.rounds * ring.alpha, times));
  EXPECT_EQ(times, ring.starts);
}

}  // namespace
}  // namespace gradwire
