// Properties of rings and all-gathers over shared links.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "platforms/model/fat_tree.hpp"
#include "platforms/model/link_table.hpp"
#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

double end_of(const std::shared_ptr<const Schedule>& schedule, const Cluster& cluster,
              SimgridMode mode) {
  const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
  return play_simgrid(plan, cluster, {}, {mode, true}).end.count();
}

std::shared_ptr<const Schedule> all_reduce(int ranks) {
  return make_schedule({CollectiveKind::kAllReduce, Elements{6'250'000}, Bytes{4}}, ranks);
}

std::shared_ptr<const Schedule> pairwise(std::int64_t elements, int ranks) {
  return make_schedule({CollectiveKind::kAllGather, Elements{elements}, Bytes{4}}, ranks,
                       "pairwise");
}

/// Racks of two to four nodes, oversubscribed up to 8 to 1; some NICs slow. `slower` times as
/// oversubscribed as the same draw of 1.
Cluster random_cluster(std::mt19937& random, int nodes, int gpus_per_node, double slower = 1.0) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Cluster cluster = test::mixed_cluster(nodes, gpus_per_node);
  const int children = pick(2, 4);
  cluster.topology = racks(cluster.nodes, children, slower * pick(1, 8));
  for (int node = 0; node < nodes; ++node) {
    if (pick(0, 3) == 0) cluster.slow_nics.push_back({node, pick(2, 10) / 10.0});
  }
  return cluster;
}

TEST(ShuffledRing, ThatSharesNoLinkTakesTheSameCoupledAndStepWithinOneInAThousand) {
  std::mt19937 random(1);
  for (int i = 0; i < 8; ++i) {
    const int gpus = 1 + i % 4;
    Cluster cluster = test::mixed_cluster(24, gpus);
    cluster.topology = racks(24, 8, 1.0);  // 1 to 1: the trunks carry whatever their NICs do
    cluster.slow_nics = {{i, 0.3}, {20, 0.7}};
    const auto schedule =
        place_ranks(all_reduce(24 * gpus), shuffled_nodes(cluster, 24 * gpus, random()));
    const double step = end_of(schedule, cluster, SimgridMode::kStep);
    EXPECT_NEAR(end_of(schedule, cluster, SimgridMode::kCoupled), step, 1e-3 * step) << gpus;
  }
}

// Ranks whose edge does not cross the busiest trunk are done a little before those whose edge does:
// at most what a chunk takes over a NIC alone, once, however long the ring takes.
TEST(ShuffledRing, ThroughRacksIsLaterCoupledThanStepByAtMostAChunkOverANic) {
  std::mt19937 random(1);
  const double chunk = 260'417 * 4 * 8 / 10e9;  // ceil(6.25e6 / 24) floats: 0.83 ms
  for (const double oversubscription : {2.0, 4.0, 8.0, 16.0}) {
    Cluster cluster = test::flat_cluster(24, 10e9, 20e-6);
    cluster.topology = racks(cluster.nodes, 8, oversubscription);
    for (int i = 0; i < 4; ++i) {
      const auto schedule = place_ranks(all_reduce(24), shuffled_ring(24, random()));
      const double step = end_of(schedule, cluster, SimgridMode::kStep);
      const double coupled = end_of(schedule, cluster, SimgridMode::kCoupled);
      EXPECT_GE(coupled, step * (1 - 1e-5)) << oversubscription << " to 1";
      EXPECT_LE(coupled, step + chunk * (1 + 1e-3)) << oversubscription << " to 1";
    }
  }
}

// Where links are shared and others are not, messages of the first rounds that wait for nobody go
// ahead of the fluid, by less than a round of 10 and more here.
TEST(SharedLinks, CoupledIsLaterThanStepByLessThanARoundOnAnyRing) {
  std::mt19937 random(1);
  for (int i = 0; i < 24; ++i) {
    const int gpus = 1 + i % 3;
    const int nodes = 6 + i / 2;
    const int ranks = nodes * gpus;
    const Cluster cluster = random_cluster(random, nodes, gpus);
    const auto order =
        i % 2 == 0 ? shuffled_nodes(cluster, ranks, random()) : shuffled_ring(ranks, random());
    const auto schedule = place_ranks(all_reduce(ranks), order);
    const double step = end_of(schedule, cluster, SimgridMode::kStep);
    const double coupled = end_of(schedule, cluster, SimgridMode::kCoupled);
    EXPECT_GE(coupled, step * (1 - 1e-5)) << nodes << " nodes of " << gpus;
    EXPECT_LE(coupled, step * (1 + 1.0 / schedule->rounds())) << nodes << " nodes of " << gpus;
  }
}

TEST(SharedLinks, LessBandwidthOfAnyNicOrTrunkIsNeverFaster) {
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    std::mt19937 same = random;
    const Cluster cluster = random_cluster(random, 12, 2);
    Cluster slower = random_cluster(same, 12, 2, 1.5);
    const auto schedule = i % 2 == 0 ? place_ranks(all_reduce(24), shuffled_ring(24, random()))
                                     : pairwise(500'000, 24);
    const double before = end_of(schedule, cluster, SimgridMode::kCoupled);
    EXPECT_GE(end_of(schedule, slower, SimgridMode::kCoupled), before * (1 - 1e-9));
    slower = cluster;
    if (slower.slow_nics.empty()) slower.slow_nics = {{0, 1.0}};
    slower.slow_nics.front().bandwidth_factor /= 2;
    EXPECT_GE(end_of(schedule, slower, SimgridMode::kCoupled), before * (1 - 1e-9));
  }
}

TEST(SharedLinks, NoLinkCarriesMoreThanItsBandwidthTimesTheTime) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    std::mt19937 same = random;
    const Cluster cluster = random_cluster(random, 12, 2);
    Cluster slower = random_cluster(same, 12, 2, 1.5);
    const auto schedule = i % 2 == 0 ? place_ranks(all_reduce(24), shuffled_ring(24, random()))
                                     : pairwise(500'000, 24);
    const LinkTable table(cluster);
    std::map<int, Bytes> carried;
    std::vector<Message> messages;
    for (int round = 0; round < schedule->rounds(); ++round) {
      schedule->append_messages(round, messages);
    }
    for (const Message& message : messages) {
      for (const int link : table.links_between(message.from, message.to)) {
        carried[link] += message.elements * Bytes{4};
      }
    }
    const double latency = schedule->rounds() * cluster.nic.latency.count();
    const double moving = end_of(schedule, cluster, SimgridMode::kCoupled) - latency;
    for (const auto& [link, bytes] : carried) {
      EXPECT_LE((bytes / table.bandwidth(link)).count(), moving * (1 + 1e-5)) << "link " << link;
    }
  }
}

TEST(PairwiseAllGather, IsItsClosedFormByBothModesWithOneGpuANode) {
  for (int n = 2; n <= 32; ++n) {
    const Cluster cluster = test::flat_cluster(n, 10e9, 20e-6);
    const auto schedule = pairwise(1'000'001, n);
    // (n-1)(alpha + e s/B): every round each NIC carries one contribution each way.
    const double expected = (n - 1) * (20e-6 + 1'000'001 * 4 * 8 / 10e9);
    EXPECT_NEAR(schedule->closed_form(Seconds{20e-6}, BitsPerSecond{10e9}).count(), expected,
                1e-12);
    EXPECT_NEAR(end_of(schedule, cluster, SimgridMode::kCoupled), expected, 1e-6 * expected) << n;
    EXPECT_NEAR(end_of(schedule, cluster, SimgridMode::kStep), expected, 1e-6 * expected) << n;
  }
}

TEST(PairwiseAllGather, WithSeveralGpusANodeTakesSoManyTimesTheBytesTime) {
  for (const int g : {2, 4}) {
    for (const int nodes : {2, 3, 8}) {
      const int n = nodes * g;
      const auto schedule = pairwise(1'000'001, n);
      // In round k min(k, g, n-k) of a node's g ranks send to another node, and their sum over
      // k = 1 .. n-1 is g (n-g): each of g ranks sends to all n-g ranks elsewhere over one NIC.
      // With one GPU a node a NIC carries n-1 contributions; this is g times that of n-g.
      const double contribution = 1'000'001 * 4 * 8 / 10e9;
      const double expected = (n - 1) * 20e-6 + g * (n - g) * contribution;
      EXPECT_NEAR(end_of(schedule, test::mixed_cluster(nodes, g), SimgridMode::kCoupled), expected,
                  1e-5 * expected)
          << nodes << " nodes of " << g;
    }
  }
}

}  // namespace
}  // namespace gradwire
