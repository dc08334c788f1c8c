#include "platforms/model/torus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/thrown.hpp"
#include "tests/support/topologies.hpp"

namespace gradwire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Torus torus_of(std::vector<int> sizes) {
  return Torus(std::move(sizes), BitsPerSecond{50e9}, Seconds{1e-6});
}

/// Links along the shorter way round every dimension.
int expected_hops(const std::vector<int>& sizes, int from, int to) {
  int hops = 0;
  for (const int size : sizes) {
    const int apart = std::abs(from % size - to % size);
    hops += std::min(apart, size - apart);
    from /= size;
    to /= size;
  }
  return hops;
}

/// The nodes that a message meets, the first one apart.
std::vector<std::string> nodes_met(const Torus& torus, int from, int to) {
  std::vector<std::string> met;
  for (const int link : test::path_between(torus, from, to)) met.push_back(torus.ends(link).to);
  return met;
}

TEST(Torus, MessagesGoAlongTheFirstDimensionFirstEachTheShorterWayRound) {
  const Torus torus = torus_of({5, 3});
  // (0, 0) to (3, 1): down over 4 to 3, then up to row 1.
  EXPECT_THAT(nodes_met(torus, 0, 8), ElementsAre("node 4", "node 3", "node 8"));
  // (3, 1) to (0, 0): up over 4 to 0 of row 1, then down.
  EXPECT_THAT(nodes_met(torus, 8, 0), ElementsAre("node 9", "node 5", "node 0"));
  EXPECT_EQ(torus.switch_of(8), "node 8");
  EXPECT_EQ(torus.describe(), "torus of 5 x 3");
}

TEST(Torus, WhereBothWaysAreEquallyLongEvenOnesGoUpAndOddOnesDown) {
  const Torus torus = torus_of({4});
  EXPECT_THAT(nodes_met(torus, 0, 2), ElementsAre("node 1", "node 2"));
  EXPECT_THAT(nodes_met(torus, 2, 0), ElementsAre("node 3", "node 0"));
  EXPECT_THAT(nodes_met(torus, 1, 3), ElementsAre("node 0", "node 3"));
  EXPECT_THAT(nodes_met(torus, 3, 1), ElementsAre("node 2", "node 1"));
}

TEST(Torus, ANodeHasTwoLinksADimensionOneInADimensionOfTwoAndNoneInOneOfOne) {
  EXPECT_EQ(torus_of({5}).links(), 10);
  EXPECT_EQ(torus_of({2}).links(), 2);
  EXPECT_EQ(torus_of({1}).links(), 0);
  EXPECT_EQ(torus_of({4, 2, 1, 3}).links(), 24 * (2 + 1 + 0 + 2));
}

TEST(Torus, OfAnySizesHasAWayOfTheFewestHopsForEveryPair) {
  std::mt19937 random(8);
  for (int round = 0; round < 40; ++round) {
    std::vector<int> sizes(1 + random() % 4);
    for (int& size : sizes) size = 1 + static_cast<int>(random() % 5);
    const Torus torus = torus_of(sizes);
    EXPECT_EQ(test::broken_ways(torus), 0) << torus.describe();
    for (int from = 0; from < torus.nodes(); ++from) {
      for (int to = 0; to < torus.nodes(); ++to) {
        ASSERT_EQ(static_cast<int>(test::path_between(torus, from, to).size()),
                  expected_hops(sizes, from, to))
            << torus.describe() << ": " << from << " to " << to;
      }
    }
    // No two links join the same nodes in the same direction, so that none is idle.
    std::set<std::pair<std::string, std::string>> seen;
    for (int link = 0; link < torus.links(); ++link) {
      EXPECT_TRUE(seen.insert({torus.ends(link).from, torus.ends(link).to}).second);
    }
  }
}

TEST(Torus, AllLinksOfADimensionCarryTheSameAllToAllIfItsSizeIsOddOrAMultipleOfFour) {
  struct Case {
    std::vector<int> sizes;
    std::vector<int> loads;  // by dimension
  };
  // Along a dimension of size k a node's N messages make N/k * (k^2 - 1)/4 hops if k is odd, N/k *
  // k^2/4 if even, over its two links; over its one link if k = 2.
  for (const Case& known : {Case{{5}, {3}},                   // 5/5 * 6 / 2
                            Case{{4}, {2}},                   // 4/4 * 4 / 2
                            Case{{3, 3}, {3, 3}},             // 9/3 * 2 / 2
                            Case{{8, 3}, {24, 8}},            // 24/8 * 16 / 2, 24/3 * 2 / 2
                            Case{{4, 2, 3}, {12, 12, 8}}}) {  // 24/4*4/2, 24/2*1, 24/3*2/2
    const Torus torus = torus_of(known.sizes);
    const std::vector<int> loads = test::all_to_all_loads(torus);
    std::map<std::string, int> number;
    for (int node = 0; node < torus.nodes(); ++node) number[torus.switch_of(node)] = node;
    for (int link = 0; link < torus.links(); ++link) {
      int from = number.at(torus.ends(link).from);
      int to = number.at(torus.ends(link).to);
      std::size_t dimension = 0;
      while (from % known.sizes[dimension] == to % known.sizes[dimension]) {
        from /= known.sizes[dimension];
        to /= known.sizes[dimension++];
      }
      EXPECT_EQ(loads[static_cast<std::size_t>(link)], known.loads[dimension])
          << torus.describe() << ": " << torus.ends(link).from << " to " << torus.ends(link).to;
    }
  }
}

TEST(Torus, FourLinksARowCrossTheMiddle) {
  // Halves x < 3 and x >= 3 of rows of 6: two cuts, each crossed both ways.
  const Torus torus = torus_of({6, 5});
  std::map<std::string, int> number;
  for (int node = 0; node < torus.nodes(); ++node) number[torus.switch_of(node)] = node;
  int crossing = 0;
  for (int link = 0; link < torus.links(); ++link) {
    const bool from_left = number.at(torus.ends(link).from) % 6 < 3;
    const bool to_left = number.at(torus.ends(link).to) % 6 < 3;
    crossing += from_left != to_left ? 1 : 0;
  }
  EXPECT_EQ(crossing, 4 * 5);
}

TEST(Torus, LinksHaveItsBandwidthAndLatency) {
  const Torus torus = torus_of({3, 3});
  EXPECT_EQ(torus.bandwidth(7, BitsPerSecond{1e9}), BitsPerSecond{50e9});
  EXPECT_EQ(torus.latency(7), Seconds{1e-6});
}

TEST(Torus, SizesThatAreNoneAndBandwidthsThatAreNoneAreRefused) {
  EXPECT_THAT(test::input_error_of([] { torus_of({}); }), StartsWith("torus.size: none found"));
  EXPECT_THAT(test::input_error_of([] { torus_of({4, 0}); }), StartsWith("torus.size: 0 found"));
  EXPECT_THAT(test::input_error_of([] {
                torus_of({100'000, 100'000});
              }),
              HasSubstr("100000 x 100000 has too many links"));
  EXPECT_THAT(test::input_error_of([] { Torus({4}, BitsPerSecond{0.0}); }),
              StartsWith("torus.bandwidth: 0 bit/s found"));
}

}  // namespace
}  // namespace gradwire
