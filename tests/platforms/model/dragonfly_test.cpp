#include "platforms/model/dragonfly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/thrown.hpp"
#include "tests/support/topologies.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

DragonflyShape shape_of(int groups, int routers, int nodes_per_router) {
  DragonflyShape shape;
  shape.groups = groups;
  shape.routers = routers;
  shape.nodes_per_router = nodes_per_router;
  shape.local_bandwidth = BitsPerSecond{100e9};
  shape.global_bandwidth = BitsPerSecond{25e9};
  shape.latency = Seconds{1e-6};
  return shape;
}

/// "group 3" of "group 3 router 1".
std::string group_of(const std::string& router) { return router.substr(0, router.find(" router")); }

bool is_global(const Dragonfly& dragonfly, int link) {
  return group_of(dragonfly.ends(link).from) != group_of(dragonfly.ends(link).to);
}

TEST(Dragonfly, TheSmallOneThatCrashesSimgridHasAWayForEveryPair) {
  const Dragonfly dragonfly(shape_of(3, 2, 2));
  EXPECT_EQ(dragonfly.nodes(), 12);
  EXPECT_EQ(test::broken_ways(dragonfly), 0);
  // 3 groups with 2 local links; each pair of the 3 groups joined once each way.
  EXPECT_EQ(dragonfly.links(), 3 * 2 + 3 * 2);
  EXPECT_EQ(dragonfly.describe(),
            "dragonfly of 3 groups of 2 routers of 2 nodes, 1 link between every two groups");
}

TEST(Dragonfly, AMessageBetweenGroupsCrossesOneGlobalLinkAndAtMostTwoLocalOnes) {
  const Dragonfly dragonfly(shape_of(9, 4, 2));
  int longest = 0;
  for (int from = 0; from < dragonfly.nodes(); ++from) {
    for (int to = 0; to < dragonfly.nodes(); ++to) {
      int local = 0;
      int global = 0;
      for (const int link : test::path_between(dragonfly, from, to)) {
        ++(is_global(dragonfly, link) ? global : local);
      }
      const bool one_group =
          group_of(dragonfly.switch_of(from)) == group_of(dragonfly.switch_of(to));
      const bool one_router = dragonfly.switch_of(from) == dragonfly.switch_of(to);
      EXPECT_EQ(global, one_group ? 0 : 1) << from << " to " << to;
      EXPECT_LE(local, one_router ? 0 : one_group ? 1 : 2) << from << " to " << to;
      longest = std::max(longest, local + global);
    }
  }
  EXPECT_EQ(longest, 3);
}

TEST(Dragonfly, OfTheLargestSizeAllLinksOfAKindCarryTheSameAllToAll) {
  // g = a h + 1, so that every router port has a link and every two groups one.
  for (const auto& [routers, ports, nodes] : {std::array{2, 1, 1}, {4, 2, 2}, {3, 3, 1}}) {
    DragonflyShape shape = shape_of(routers * ports + 1, routers, nodes);
    shape.global_links = ports;
    const Dragonfly dragonfly(shape);
    const std::vector<int> loads = test::all_to_all_loads(dragonfly);
    for (int link = 0; link < dragonfly.links(); ++link) {
      // A global link carries all pairs of its two groups. A local one from router r to s: p^2
      // pairs of both; from r to the h groups that s leads to; to s from the h that r leads to.
      const int pairs = nodes * nodes;
      const int expected = is_global(dragonfly, link) ? routers * routers * pairs
                                                      : pairs * (1 + 2 * ports * routers);
      ASSERT_EQ(loads[static_cast<std::size_t>(link)], expected) << dragonfly.ends(link).from;
    }
  }
}

TEST(Dragonfly, EveryTwoGroupsHaveAsManyLinksAsThePortsSufficeFor) {
  struct Case {
    int groups, routers, ports, expected;
  };
  // ports of a group over other groups, rounded down
  for (const Case& sizes :
       {Case{2, 4, 1, 4}, {3, 4, 1, 2}, {4, 8, 1, 2}, {9, 4, 4, 2}, {9, 4, 2, 1}}) {
    DragonflyShape shape = shape_of(sizes.groups, sizes.routers, 1);
    shape.global_links = sizes.ports;
    const Dragonfly dragonfly(shape);
    std::map<std::pair<std::string, std::string>, int> joined;
    std::map<std::string, int> leaving;
    for (int link = 0; link < dragonfly.links(); ++link) {
      if (!is_global(dragonfly, link)) continue;
      const LinkEnds ends = dragonfly.ends(link);
      ++joined[{group_of(ends.from), group_of(ends.to)}];
      ++leaving[ends.from];
    }
    EXPECT_EQ(joined.size(), static_cast<std::size_t>(sizes.groups * (sizes.groups - 1)));
    for (const auto& [groups, links] : joined) EXPECT_EQ(links, sizes.expected) << groups.first;
    for (const auto& [router, links] : leaving) EXPECT_LE(links, sizes.ports) << router;
    EXPECT_EQ(dragonfly.links_between_groups(), sizes.expected);
    EXPECT_EQ(test::broken_ways(dragonfly), 0);
  }
}

TEST(Dragonfly, EveryGlobalLinkHasOneBack) {
  const Dragonfly dragonfly(shape_of(5, 4, 1));
  std::multiset<std::pair<std::string, std::string>> out;
  std::multiset<std::pair<std::string, std::string>> back;
  for (int link = 0; link < dragonfly.links(); ++link) {
    const LinkEnds ends = dragonfly.ends(link);
    out.insert({ends.from, ends.to});
    back.insert({ends.to, ends.from});
  }
  EXPECT_EQ(out, back);
}

TEST(Dragonfly, OfSeveralLinksTheDestinationDecidesAmongThoseOfTheFewestHops) {
  // Two groups of two routers with two ports each: four links, from each router two.
  DragonflyShape shape = shape_of(2, 2, 4);
  shape.global_links = 2;
  const Dragonfly dragonfly(shape);
  ASSERT_EQ(dragonfly.links_between_groups(), 4);
  // Port q joins port 3 - q: routers 0 and 1 of the groups are joined crosswise, by two links.
  std::set<int> taken;
  for (int to = 12; to < 16; ++to) {  // on group 1 router 1
    const std::vector<int> path = test::path_between(dragonfly, 0, to);
    ASSERT_EQ(path.size(), 1U) << to;
    EXPECT_EQ(path, test::path_between(dragonfly, 0, to % 2 == 0 ? 12 : 13)) << to;
    taken.insert(path[0]);
  }
  EXPECT_EQ(taken.size(), 2U);
}

TEST(Dragonfly, EachKindOfLinkHasItsBandwidthAndAllTheLatency) {
  const Dragonfly dragonfly(shape_of(4, 3, 1));
  for (int link = 0; link < dragonfly.links(); ++link) {
    EXPECT_EQ(dragonfly.bandwidth(link, BitsPerSecond{1e9}).count(),
              is_global(dragonfly, link) ? 25e9 : 100e9);
    EXPECT_EQ(dragonfly.latency(link), Seconds{1e-6});
  }
}

TEST(Dragonfly, OneGroupAndOneRouterAreDragonfliesToo) {
  EXPECT_EQ(test::broken_ways(Dragonfly(shape_of(1, 4, 2))), 0);
  const Dragonfly single(shape_of(1, 1, 3));
  EXPECT_EQ(single.links(), 0);
  EXPECT_THAT(test::path_between(single, 0, 2), IsEmpty());
  const Dragonfly flat(shape_of(5, 1, 1));  // a full mesh of groups
  EXPECT_EQ(flat.links(), 20);
  EXPECT_EQ(test::broken_ways(flat), 0);
  EXPECT_EQ(test::diameter(flat), 1);
}

TEST(Dragonfly, SizesThatDoNotJoinAllGroupsAreRefused) {
  DragonflyShape shape = shape_of(10, 4, 1);
  shape.global_links = 2;  // 8 others
  EXPECT_THAT(test::input_error_of([&] { Dragonfly{shape}; }),
              AllOf(StartsWith("dragonfly.global_links: 2 of each of 4 routers reach 8 groups"),
                    HasSubstr("there are 9 others"), HasSubstr("3 or more")));
  shape.global_links = 0;
  EXPECT_THAT(test::input_error_of([&] { Dragonfly{shape}; }),
              StartsWith("dragonfly.global_links: 0 found"));
}

TEST(Dragonfly, CountsBelowOneTooManyLinksAndNoBandwidthAreRefused) {
  const auto refusal = [](const DragonflyShape& shape) {
    return test::input_error_of([&] { Dragonfly{shape}; });
  };
  EXPECT_THAT(refusal(shape_of(0, 1, 1)), StartsWith("dragonfly.groups: 0 found"));
  EXPECT_THAT(refusal(shape_of(1, -2, 1)), StartsWith("dragonfly.routers: -2 found"));
  EXPECT_THAT(refusal(shape_of(1, 1, 0)), StartsWith("dragonfly.nodes_per_router: 0 found"));
  EXPECT_THAT(refusal(shape_of(2'000'000'000, 2'000'000'000, 2'000'000'000)),
              StartsWith("dragonfly.groups:"));
  DragonflyShape slow = shape_of(2, 2, 1);
  slow.global_bandwidth = BitsPerSecond{-1.0};
  EXPECT_THAT(refusal(slow), StartsWith("dragonfly.global_bandwidth: -1 bit/s found"));
  slow.local_bandwidth = BitsPerSecond{};
  EXPECT_THAT(refusal(slow), StartsWith("dragonfly.local_bandwidth: 0 bit/s found"));
}

TEST(Dragonfly, OfAnySizeHasAShortestWayForEveryPair) {
  std::mt19937 random(8);
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % most); };
  for (int round = 0; round < 60; ++round) {
    DragonflyShape shape = shape_of(up_to(9), up_to(5), up_to(3));
    const int fewest = (shape.groups - 1 + shape.routers - 1) / shape.routers;
    if (round % 2 == 0) shape.global_links = std::max(1, fewest + up_to(3) - 1);
    const Dragonfly dragonfly(shape);
    EXPECT_EQ(test::broken_ways(dragonfly), 0) << dragonfly.describe();
    EXPECT_LE(test::diameter(dragonfly), 3) << dragonfly.describe();
    // Every link joins other routers, each by no more than one local link.
    std::set<std::pair<std::string, std::string>> local;
    for (int link = 0; link < dragonfly.links(); ++link) {
      const LinkEnds ends = dragonfly.ends(link);
      EXPECT_NE(ends.from, ends.to);
      if (!is_global(dragonfly, link)) {
        EXPECT_TRUE(local.insert({ends.from, ends.to}).second);
      }
    }
  }
}

}  // namespace
}  // namespace gradwire
