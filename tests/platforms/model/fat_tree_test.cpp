#include "platforms/model/fat_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<int> path(const Topology& topology, int from, int to) {
  std::vector<int> links;
  topology.append_path(from, to, links);
  return links;
}

/// Names along the way from `from` to `to`; fails where a link does not begin where the one before
/// it ended.
std::vector<std::string> stops(const Topology& topology, int from, int to) {
  std::vector<std::string> names = {topology.switch_of(from)};
  for (const int link : path(topology, from, to)) {
    EXPECT_EQ(topology.ends(link).from, names.back());
    names.push_back(topology.ends(link).to);
  }
  EXPECT_EQ(names.back(), topology.switch_of(to));
  return names;
}

TEST(FatTree, NodesOfOneRackMeetInItsSwitch) {
  const auto tree = racks(6, 2, 4.0);
  EXPECT_THAT(path(*tree, 2, 3), IsEmpty());
  EXPECT_THAT(stops(*tree, 2, 3), ElementsAre("rack 1"));
  EXPECT_THAT(stops(*tree, 1, 4), ElementsAre("rack 0", "core", "rack 2"));
}

TEST(FatTree, ATrunkCarriesItsChildrenOverTheOversubscriptionOfEveryLevelBelow) {
  // 24 nodes of 10 Gbps: racks of 4 at 2 to 1 (20 Gbps), groups of 3 racks at 3 to 1 (20 Gbps).
  const FatTree tree(24, {{4, 2.0, 1}, {3, 3.0, 1}});
  EXPECT_EQ(tree.links(), 2 * 6 + 2 * 2);
  EXPECT_DOUBLE_EQ(tree.bandwidth(0, BitsPerSecond{10e9}).count(), 20e9);
  EXPECT_DOUBLE_EQ(tree.bandwidth(15, BitsPerSecond{10e9}).count(), 20e9);
  EXPECT_THAT(stops(tree, 0, 5), ElementsAre("rack 0", "level 2 switch 0", "rack 1"));
  EXPECT_THAT(stops(tree, 0, 23),
              ElementsAre("rack 0", "level 2 switch 0", "core", "level 2 switch 1", "rack 5"));
}

// Leaf and spine: a trunk of four links, one to each of four spines.
TEST(FatTree, WithStaticRoutingTheDestinationChoosesTheSpine) {
  const FatTree tree(16, {{4, 1.0, 4}});
  EXPECT_DOUBLE_EQ(tree.bandwidth(0, BitsPerSecond{10e9}).count(), 10e9);
  EXPECT_THAT(stops(tree, 0, 6), ElementsAre("rack 0", "core plane 2", "rack 1"));
  EXPECT_THAT(stops(tree, 3, 6), ElementsAre("rack 0", "core plane 2", "rack 1"));
  EXPECT_EQ(path(tree, 0, 6), path(tree, 3, 6));  // both by the same links: they collide
  EXPECT_NE(path(tree, 0, 6), path(tree, 0, 7));
}

// A fluid trunk at full bisection never slows a permutation; static routes do.
TEST(FatTree, FluidTrunksCarryAnyPermutationThatStaticRoutesMakeCollide) {
  const FatTree fluid(64, {{8, 1.0, 1}});
  const FatTree routed(64, {{8, 1.0, 8}});
  std::mt19937 random(1);
  std::vector<int> to(64);
  for (int node = 0; node < 64; ++node) to[static_cast<std::size_t>(node)] = node;
  double worst_routed = 0.0;
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(to.begin(), to.end(), random);
    const auto worst_of = [&](const FatTree& tree) {
      std::map<int, int> crossed;
      double worst = 0.0;
      for (int node = 0; node < 64; ++node) {
        for (const int link : path(tree, node, to[static_cast<std::size_t>(node)])) {
          worst =
              std::max(worst, ++crossed[link] / tree.bandwidth(link, BitsPerSecond{1.0}).count());
        }
      }
      return worst;
    };
    EXPECT_LE(worst_of(fluid), 1.0);
    worst_routed = std::max(worst_routed, worst_of(routed));
  }
  EXPECT_GE(worst_routed, 2.0);
}

TEST(FatTree, EveryPairOfAnyTreeIsJoinedEndToEnd) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 40; ++trial) {
    const int nodes = pick(8, 60);
    std::vector<FatTreeLevel> levels;
    for (int level = pick(1, 3); level > 0; --level)
      levels.push_back({pick(1, 8), 1.0, pick(1, 3)});
    const FatTree tree(nodes, levels);
    std::set<int> used;
    for (int from = 0; from < nodes; ++from) {
      for (int to = 0; to < nodes; ++to) {
        const std::vector<int> links = path(tree, from, to);
        EXPECT_EQ(links.size() % 2, 0U);  // as many up as down
        for (const int link : links) {
          ASSERT_GE(link, 0);
          ASSERT_LT(link, tree.links());
        }
        stops(tree, from, to);
      }
    }
  }
}

TEST(FatTree, OfImpossibleLevelsIsRefusedByName) {
  const auto refusal = [](std::vector<FatTreeLevel> levels) {
    return test::input_error_of([&] { FatTree(8, std::move(levels)); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("fat_tree_level: none found"));
  EXPECT_THAT(refusal({{0, 1.0, 1}}), HasSubstr("fat_tree_level 1: 0 children found"));
  EXPECT_THAT(refusal({{9, 1.0, 1}}), HasSubstr("1 to 8 is accepted"));
  EXPECT_THAT(refusal({{2, 1.0, 1}, {2, 0.5, 1}}), HasSubstr("fat_tree_level 2"));
  EXPECT_THAT(refusal({{2, 1.0, 0}}), HasSubstr("0 links found"));
}

}  // namespace
}  // namespace gradwire
