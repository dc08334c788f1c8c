#include "simulator/collectives/link_load.hpp"
#include "platforms/model/fat_tree.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/collectives/registry.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

std::shared_ptr<const Schedule> all_reduce(int ranks, std::int64_t elements) {
  return make_schedule({CollectiveKind::kAllReduce, Elements{elements}, Bytes{4}}, ranks);
}

std::map<LinkKind, int> links_by_kind(const std::vector<LinkLoad>& loads) {
  std::map<LinkKind, int> counts;
  for (const LinkLoad& load : loads) ++counts[load.place.kind];
  return counts;
}

/// The same by looking at every message.
std::map<int, Bytes> loads_by_messages(const Schedule& schedule, const Cluster& cluster) {
  const LinkTable table(cluster);
  std::map<int, Bytes> loads;
  std::vector<Message> messages;
  for (int round = 0; round < schedule.rounds(); ++round) {
    schedule.append_messages(round, messages);
  }
  for (const Message& message : messages) {
    for (const int link : table.links_between(message.from, message.to)) {
      loads[link] += message.elements * schedule.call().element_size;
    }
  }
  return loads;
}

TEST(LinkLoads, OfARingOverTwoNodesOfTwoGpus) {
  // Every rank sends 2 * 3 messages of 100 elements to the next: 2400 bytes. 1 -> 2 and 3 -> 0
  // cross the NICs, out and in of both nodes; 0 -> 1 and 2 -> 3 two links inside a node each.
  const std::vector<LinkLoad> loads = link_loads(*all_reduce(4, 400), test::mixed_cluster(2, 2));
  EXPECT_EQ(links_by_kind(loads),
            (std::map<LinkKind, int>{{LinkKind::kNic, 4}, {LinkKind::kInner, 4}}));
  for (const LinkLoad& load : loads) EXPECT_EQ(load.bytes, Bytes{2400});
}

TEST(LinkLoads, OfAPairwiseAllGatherAddUpOnTheNic) {
  // Each of the two ranks of a node sends its 10 elements of 4 bytes to the two ranks elsewhere.
  const auto schedule =
      make_schedule({CollectiveKind::kAllGather, Elements{10}, Bytes{4}}, 4, "pairwise");
  for (const LinkLoad& load : link_loads(*schedule, test::mixed_cluster(2, 2))) {
    EXPECT_EQ(load.bytes, load.place.kind == LinkKind::kNic ? Bytes{160} : Bytes{40});
  }
}

TEST(LinkLoads, AreThoseOfEveryMessageForEveryAlgorithm) {
  Cluster cluster = test::mixed_cluster(6, 3);
  cluster.topology = racks(cluster.nodes, 2, 2.0);
  for (const AlgorithmEntry& entry : algorithms()) {
    for (const int ranks : {2, 5, 12, 18}) {
      const auto schedule =
          make_schedule({entry.kind, Elements{1001}, Bytes{4}}, ranks, entry.algorithm);
      std::vector<int> backwards(static_cast<std::size_t>(ranks));
      std::iota(backwards.rbegin(), backwards.rend(), 0);
      for (const auto& placed : {schedule, place_ranks(schedule, backwards)}) {
        std::map<int, Bytes> found;
        for (const LinkLoad& load : link_loads(*placed, cluster)) found[load.link] = load.bytes;
        EXPECT_EQ(found, loads_by_messages(*placed, cluster)) << entry.algorithm << " " << ranks;
      }
    }
  }
}

TEST(BoundingLink, IsTheNicOfAllNodesWhereTheyAreEqual) {
  const auto schedule = all_reduce(4, 401);  // uneven chunks, which shall not single a NIC out
  const BoundingLink bound =
      bounding_link(link_loads(*schedule, test::mixed_cluster(2, 2)), *schedule);
  EXPECT_EQ(bound.load.place.kind, LinkKind::kNic);
  EXPECT_TRUE(bound.all_alike);
}

TEST(BoundingLink, IsTheSlowNic) {
  Cluster cluster = test::mixed_cluster(3, 2);
  cluster.slow_nics = {{1, 0.5}};
  const auto schedule = all_reduce(6, 6000);
  const BoundingLink bound = bounding_link(link_loads(*schedule, cluster), *schedule);
  EXPECT_EQ(bound.load.place, (LinkPlace{LinkKind::kNic, 1, true}));
  EXPECT_DOUBLE_EQ(bound.load.bandwidth.count(), 5e9);
  EXPECT_FALSE(bound.all_alike);
}

TEST(BoundingLink, IsTheTrunkThatEveryMessageCrosses) {
  // Two racks of two nodes, a trunk of 2 * 10 / 4 = 5 Gbps; the ring 0, 2, 1, 3 crosses it with
  // every message.
  Cluster cluster = test::flat_cluster(4, 10e9, 0);
  cluster.topology = racks(cluster.nodes, 2, 4.0);
  const auto schedule = place_ranks(all_reduce(4, 4000), {0, 2, 1, 3});
  const BoundingLink bound = bounding_link(link_loads(*schedule, cluster), *schedule);
  EXPECT_EQ(bound.load.place.kind, LinkKind::kTrunk);
  // Two ranks of a rack send 2 * 3 messages of 1000 elements up.
  EXPECT_EQ(bound.load.bytes, Bytes{2 * 6 * 4000});
  EXPECT_TRUE(bound.all_alike);
}

}  // namespace
}  // namespace gradwire
