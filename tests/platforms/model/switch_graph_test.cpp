#include "platforms/model/switch_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <limits>
#include <random>

#include "platforms/model/fat_tree.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/topologies.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Cable cable(const std::string& from, const std::string& to, double bits_per_second = 10e9) {
  return {from, to, BitsPerSecond{bits_per_second}, Seconds{1e-6}};
}

/// The switches that a message meets, the sender's first.
std::string way(const SwitchGraph& graph, int from, int to) {
  std::string met = graph.switch_of(from);
  for (const int link : test::path_between(graph, from, to)) met += graph.ends(link).to;
  return met;
}

TEST(SwitchGraph, ACableIsALinkEachWay) {
  SwitchGraph graph({cable("a", "b", 1e9), cable("b", "c", 2e9)}, {"a", "c"});
  EXPECT_EQ(graph.links(), 4);
  EXPECT_EQ(graph.ends(2), (LinkEnds{"b", "c"}));
  EXPECT_EQ(graph.ends(3), (LinkEnds{"c", "b"}));
  EXPECT_EQ(graph.bandwidth(3, BitsPerSecond{9e9}), BitsPerSecond{2e9});
  EXPECT_EQ(graph.latency(0), Seconds{1e-6});
  EXPECT_EQ(way(graph, 0, 1), "abc");
  EXPECT_EQ(way(graph, 1, 0), "cba");
  EXPECT_EQ(graph.describe(), "graph of 3 switches and 2 cables");
}

TEST(SwitchGraph, NodesOfOneSwitchCrossNoLink) {
  const SwitchGraph graph({cable("a", "b")}, {"a", "b", "a"});
  EXPECT_TRUE(test::path_between(graph, 0, 2).empty());
  EXPECT_EQ(graph.nodes(), 3);
}

TEST(SwitchGraph, OfEquallyShortWaysTheDestinationChooses) {
  // Leaves a and b under spines 0, 1, 2: to node d over spine d mod 3, from wherever.
  std::vector<Cable> cables;
  for (const char* leaf : {"a", "b"}) {
    for (const char* spine : {"0", "1", "2"}) cables.push_back(cable(leaf, spine));
  }
  const SwitchGraph graph(cables, {"a", "a", "a", "b", "b", "b", "b"});
  for (int to = 3; to < 7; ++to) {
    EXPECT_EQ(way(graph, 0, to), fmt::format("a{}b", to % 3));
    EXPECT_EQ(way(graph, 1, to), fmt::format("a{}b", to % 3));
  }
  EXPECT_EQ(way(graph, 6, 1), "b1a");
}

TEST(SwitchGraph, WhatIsLeftOfTheDestinationChoosesFartherOn) {
  // Two choices of two: 0/1 behind a, then p/q in front of b. Modulo alone would always take p
  // after 0; divided, the four destinations take the four ways.
  const std::vector<Cable> cables = {cable("a", "0"), cable("a", "1"), cable("0", "p"),
                                     cable("0", "q"), cable("1", "p"), cable("1", "q"),
                                     cable("p", "b"), cable("q", "b")};
  const SwitchGraph graph(cables, {"b", "b", "b", "b", "a"});
  EXPECT_EQ(way(graph, 4, 0), "a0pb");
  EXPECT_EQ(way(graph, 4, 1), "a1pb");
  EXPECT_EQ(way(graph, 4, 2), "a0qb");
  EXPECT_EQ(way(graph, 4, 3), "a1qb");
}

TEST(SwitchGraph, AFatTreeWrittenAsAGraphIsRoutedLikeIt) {
  // 4 leaves of 4 nodes, trunks of 2 links taken by destination.
  const FatTree tree(16, {{4, 1.0, 2}});
  std::vector<Cable> cables;
  std::vector<std::string> places;
  for (int leaf = 0; leaf < 4; ++leaf) {
    for (int plane = 0; plane < 2; ++plane) {
      cables.push_back(cable(fmt::format("rack {}", leaf), fmt::format("core plane {}", plane)));
    }
    places.insert(places.end(), 4, fmt::format("rack {}", leaf));
  }
  const SwitchGraph graph(cables, places);
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; ++to) {
      std::vector<LinkEnds> by_graph;
      std::vector<LinkEnds> by_tree;
      for (const int link : test::path_between(graph, from, to)) {
        by_graph.push_back(graph.ends(link));
      }
      for (const int link : test::path_between(tree, from, to)) by_tree.push_back(tree.ends(link));
      EXPECT_EQ(by_graph, by_tree) << from << " to " << to;
    }
  }
}

TEST(SwitchGraph, ParallelCablesAreTwoWays) {
  const SwitchGraph graph({cable("a", "b"), cable("a", "b")}, {"a", "b", "b"});
  EXPECT_EQ(test::path_between(graph, 0, 2), std::vector<int>{0});
  EXPECT_EQ(test::path_between(graph, 0, 1), std::vector<int>{2});
}

TEST(SwitchGraph, OfAnyShapeHasAWayOfTheFewestHopsForEveryPair) {
  std::mt19937 random(8);
  for (int round = 0; round < 40; ++round) {
    const std::size_t switches = 2 + random() % 12;
    const auto name = [](std::size_t number) { return fmt::format("s{}", number); };
    std::vector<Cable> cables;
    // A tree, so that all are joined, and some more.
    for (std::size_t i = 1; i < switches; ++i) cables.push_back(cable(name(i), name(random() % i)));
    for (std::size_t i = random() % (2 * switches); i > 0; --i) {
      const std::size_t from = random() % switches;
      const std::size_t to = (from + 1 + random() % (switches - 1)) % switches;
      cables.push_back(cable(name(from), name(to)));
    }
    std::vector<std::string> places;
    for (int node = 0; node < 10; ++node) places.push_back(name(random() % switches));
    const SwitchGraph graph(cables, places);
    EXPECT_EQ(test::broken_ways(graph), 0);
    // Floyd and Warshall's shortest ways, as the reference.
    std::map<std::string, std::map<std::string, std::size_t>> hops;
    for (std::size_t i = 0; i < switches; ++i) {
      for (std::size_t j = 0; j < switches; ++j) hops[name(i)][name(j)] = i == j ? 0 : 1000;
    }
    for (const Cable& known : cables) hops[known.from][known.to] = hops[known.to][known.from] = 1;
    for (std::size_t k = 0; k < switches; ++k) {
      for (auto& [from, row] : hops) {
        for (auto& [to, known] : row) known = std::min(known, row[name(k)] + hops[name(k)][to]);
      }
    }
    for (int from = 0; from < graph.nodes(); ++from) {
      for (int to = 0; to < graph.nodes(); ++to) {
        EXPECT_EQ(test::path_between(graph, from, to).size(),
                  hops[graph.switch_of(from)][graph.switch_of(to)]);
      }
    }
  }
}

TEST(SwitchGraph, NodesWithoutAWayBetweenThemAreNamed) {
  EXPECT_THAT(test::input_error_of([] {
                SwitchGraph({cable("a", "b"), cable("c", "d")}, {"b", "a", "d"});
              }),
              AllOf(StartsWith("graph: no way leads from node 0 (on b) to node 2 (on d)")));
  // Switches without nodes may stand apart.
  EXPECT_EQ(SwitchGraph({cable("a", "b"), cable("c", "d")}, {"b", "a"}).nodes(), 2);
}

TEST(SwitchGraph, WhatIsNoCableAndNodesOnNoSwitchAreRefused) {
  const auto refusal = [](const std::vector<Cable>& cables) {
    return test::input_error_of([&] { SwitchGraph(cables, {"a"}); });
  };
  EXPECT_THAT(refusal({}), StartsWith("graph.link: none found"));
  EXPECT_THAT(refusal({cable("a", "b"), cable("", "b")}),
              AllOf(StartsWith("graph.link 2:"), HasSubstr("no name")));
  EXPECT_THAT(refusal({cable("a", "a")}), HasSubstr("from a to itself"));
  EXPECT_THAT(refusal({cable("a", "b", 0.0)}), StartsWith("graph.link 1: 0 bit/s"));
  EXPECT_THAT(refusal({{"a", "b", BitsPerSecond{1.0}, Seconds{-1.0}}}),
              StartsWith("graph.link 1: -1 s"));
  EXPECT_THAT(refusal({cable("b", "c")}), HasSubstr("node 0 is on \"a\", which no link joins"));
}

TEST(SwitchGraph, MoreSwitchesThanDistancesAreKeptForAreRefused) {
  // A chain of 4100 switches, all with a node: 4100^2 is above 2^24.
  std::vector<Cable> cables;
  std::vector<std::string> places = {"0"};
  for (int i = 1; i < 4100; ++i) {
    cables.push_back(cable(fmt::format("{}", i - 1), fmt::format("{}", i)));
    places.push_back(fmt::format("{}", i));
  }
  EXPECT_THAT(test::input_error_of([&] { SwitchGraph(cables, places); }),
              HasSubstr("4100 switches with nodes among 4100 found"));
  places.assign({"0", "4099"});
  EXPECT_EQ(test::path_between(SwitchGraph(cables, places), 0, 1).size(), 4099U);
}

}  // namespace
}  // namespace gradwire
