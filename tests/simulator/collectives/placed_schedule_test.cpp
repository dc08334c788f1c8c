#include "simulator/collectives/placed_schedule.hpp"
#include "platforms/model/fat_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/collectives/registry.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

std::shared_ptr<const Schedule> all_reduce(int ranks) {
  return make_schedule({CollectiveKind::kAllReduce, Elements{1'000'001}, Bytes{4}}, ranks);
}

TEST(PlacedSchedule, SendsTheSameChunksAlongTheNewOrder) {
  const std::vector<int> order = {2, 0, 3, 1};
  const auto plain = all_reduce(4);
  const auto placed = place_ranks(plain, order);
  ASSERT_EQ(placed->rounds(), plain->rounds());
  for (int round = 0; round < plain->rounds(); ++round) {
    std::vector<Message> expected;
    plain->append_messages(round, expected);
    for (Message& message : expected) {
      message.from = order[static_cast<std::size_t>(message.from)];
      message.to = order[static_cast<std::size_t>(message.to)];
    }
    std::vector<Message> found = {{9, 9, Elements{9}}};  // what is there already stays as it is
    placed->append_messages(round, found);
    EXPECT_EQ(found.front(), (Message{9, 9, Elements{9}}));
    found.erase(found.begin());
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(placed->phases().front().edges, (std::vector<Edge>{{2, 0}, {0, 3}, {3, 1}, {1, 2}}));
}

TEST(PlacedSchedule, ARankSendsWhatItsPositionSendsAndNoRingInRankOrderIsClaimed) {
  const auto plain = all_reduce(3);  // chunks 333334, 333334, 333333
  const auto placed = place_ranks(plain, {8, 0, 4});
  EXPECT_EQ(placed->sent_by(8), plain->sent_by(0));
  EXPECT_EQ(placed->sent_by(0), plain->sent_by(1));
  EXPECT_EQ(placed->sent_by(4), plain->sent_by(2));
  EXPECT_EQ(placed->sent_by(1), Elements{0});
  EXPECT_NE(plain->sent_by(0), plain->sent_by(2));
  EXPECT_EQ(placed->ring(), nullptr);
}

TEST(SharedLinks, ARingInRankOrderSharesNoneWhateverTheLinks) {
  Cluster cluster = test::mixed_cluster(6, 4);
  cluster.slow_nics = {{1, 0.1}};
  for (const double factor : {1.0, 16.0}) {
    cluster.topology = racks(6, 2, factor);
    EXPECT_FALSE(shares_links(*all_reduce(24), cluster)) << factor;
  }
}

TEST(SharedLinks, ARingThatLeavesANodeTwiceSharesItsNic) {
  const Cluster cluster = test::mixed_cluster(2, 2);
  EXPECT_TRUE(shares_links(*place_ranks(all_reduce(4), {0, 2, 1, 3}), cluster));
  EXPECT_FALSE(shares_links(*place_ranks(all_reduce(4), {2, 3, 0, 1}), cluster));
}

TEST(SharedLinks, ATrunkIsSharedOnceTheRingCrossesItMoreOftenThanItHasNics) {
  // Racks {0, 1, 2} and {3, 4, 5}; the ring 0 3 1 4 2 5 leaves each rack three times.
  Cluster cluster = test::flat_cluster(6, 10e9, 20e-6);
  cluster.topology = racks(6, 3, 1.0);
  const auto zigzag = place_ranks(all_reduce(6), {0, 3, 1, 4, 2, 5});
  EXPECT_FALSE(shares_links(*zigzag, cluster));  // 3 NICs, a trunk of 3 NICs
  cluster.topology = racks(6, 3, 1.01);
  EXPECT_TRUE(shares_links(*zigzag, cluster));
  EXPECT_FALSE(shares_links(*place_ranks(all_reduce(6), {0, 3, 4, 5, 1, 2}), cluster));
}

TEST(SharedLinks, PairwiseAllGatherSharesNicsExactlyWhereNodesHaveSeveralGpus) {
  const auto pairwise =
      make_schedule({CollectiveKind::kAllGather, Elements{10}, Bytes{4}}, 8, "pairwise");
  EXPECT_FALSE(shares_links(*pairwise, test::flat_cluster(8, 10e9, 20e-6)));
  EXPECT_TRUE(shares_links(*pairwise, test::mixed_cluster(4, 2)));
  EXPECT_FALSE(shares_links(*pairwise, test::mixed_cluster(1, 8)));  // inside one node
}

TEST(PairwiseAllGather, EveryRankIsSentEveryOthersContributionOnceAndSendsItsOwnToAll) {
  for (int n = 1; n <= 128; ++n) {
    const auto schedule =
        make_schedule({CollectiveKind::kAllGather, Elements{7}, Bytes{4}}, n, "pairwise");
    ASSERT_EQ(schedule->rounds(), n - 1);
    const std::vector<Phase> phases = schedule->phases();
    ASSERT_EQ(phases.size(), static_cast<std::size_t>(n - 1));
    std::vector<std::vector<int>> received(static_cast<std::size_t>(n));
    for (int round = 0; round < n - 1; ++round) {
      std::vector<Message> messages;
      schedule->append_messages(round, messages);
      const std::vector<Edge>& edges = phases[static_cast<std::size_t>(round)].edges;
      ASSERT_EQ(messages.size(), edges.size());
      for (std::size_t i = 0; i < messages.size(); ++i) {
        ASSERT_EQ(messages[i].elements, Elements{7});
        ASSERT_EQ((Edge{messages[i].from, messages[i].to}), edges[i]);
        received[static_cast<std::size_t>(messages[i].to)].push_back(messages[i].from);
      }
    }
    for (int rank = 0; rank < n; ++rank) {
      std::vector<int>& from = received[static_cast<std::size_t>(rank)];
      std::sort(from.begin(), from.end());
      std::vector<int> others;
      for (int other = 0; other < n; ++other) {
        if (other != rank) others.push_back(other);
      }
      ASSERT_EQ(from, others) << "n " << n << " rank " << rank;
      ASSERT_EQ(schedule->sent_by(rank), Elements{7} * (n - 1));
    }
  }
}

}  // namespace
}  // namespace gradwire
