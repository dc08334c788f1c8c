// One all-reduce of 25 MB among 24 nodes at 10 Gbps and 20 us where the network is more than one
// switch with this job alone on it. The figures are those a prototype gave before this was written;
// each is derived here.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "platforms/model/fat_tree.hpp"
#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

constexpr int kNodes = 24;
constexpr int kRounds = 2 * (kNodes - 1);
constexpr double kLatency = 20e-6;
constexpr double kChunkBytes = 4.0 * 260'417;  // ceil(6.25e6 / 24) floats
constexpr double kBytesPerSecond = 10e9 / 8;

const CollectiveCall kCall{CollectiveKind::kAllReduce, Elements{6'250'000}, Bytes{4}};

/// A ring over links whose slowest gives each message `share` of a NIC.
double ring_ms(double share) {
  return kRounds * (kLatency + kChunkBytes / (kBytesPerSecond * share)) * 1e3;
}

Cluster flat() { return test::flat_cluster(kNodes, 10e9, kLatency); }

Cluster racks_of_eight(double oversubscription) {
  Cluster cluster = flat();
  cluster.topology = racks(cluster.nodes, 8, oversubscription);
  return cluster;
}

double simulated_ms(const Plan& plan, const Cluster& cluster,
                    SimgridMode mode = SimgridMode::kCoupled) {
  return play_simgrid(plan, cluster, {}, {mode, true}).end.count() * 1e3;
}

Plan ring_plan(std::vector<int> order = {}) {
  auto schedule = make_schedule(kCall, kNodes);
  if (!order.empty()) schedule = place_ranks(std::move(schedule), std::move(order));
  return make_collective_plan(std::move(schedule), LatencyMode::kBlocking);
}

TEST(Contention, WithoutItTheClosedFormHolds) {
  EXPECT_NEAR(ring_ms(1.0), 39.253, 1e-3);
  EXPECT_NEAR(simulated_ms(ring_plan(), flat()), ring_ms(1.0), ring_ms(1.0) * 1e-5);
}

TEST(Contention, OneNicAtHalfItsSpeedHalvesTheRing) {
  Cluster cluster = flat();
  cluster.slow_nics = {{5, 0.5}};
  EXPECT_NEAR(ring_ms(0.5), 77.587, 1e-3);
  EXPECT_NEAR(simulated_ms(ring_plan(), cluster), ring_ms(0.5), ring_ms(0.5) * 1e-5);
  EXPECT_NEAR(recurrence_end(ring_plan(), cluster).count() * 1e3, ring_ms(0.5),
              ring_ms(0.5) * 1e-5);
}

TEST(Contention, ARingInOrderLeavesARackOnceSoTrunksMatterWhenSlowerThanANic) {
  for (const double oversubscription : {1.0, 2.0, 4.0, 8.0}) {
    EXPECT_NEAR(simulated_ms(ring_plan(), racks_of_eight(oversubscription)), ring_ms(1.0),
                ring_ms(1.0) * 1e-5)
        << oversubscription;
  }
  // 8 NICs over 16: half a NIC.
  EXPECT_NEAR(simulated_ms(ring_plan(), racks_of_eight(16.0)), ring_ms(0.5), ring_ms(0.5) * 1e-5);
}

/// Messages of a round that leave the rack that most leave, for ranks in `order`.
int most_out_of_a_rack(const std::vector<int>& order) {
  std::map<int, int> leaving;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int from = order[i] / 8;
    if (from != order[(i + 1) % order.size()] / 8) ++leaving[from];
  }
  int most = 0;
  for (const auto& [rack, count] : leaving) most = std::max(most, count);
  return most;
}

TEST(Contention, AShuffledRingTakesWhatItsFullestTrunkTakes) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<int> order = shuffled_nodes(flat(), kNodes, seed);
    double before = 0.0;
    for (const double oversubscription : {1.0, 2.0, 4.0, 8.0}) {
      // A trunk of 8 / oversubscription NICs shared by so many messages; a NIC is never shared.
      const double share = std::min(1.0, 8.0 / oversubscription / most_out_of_a_rack(order));
      const Cluster cluster = racks_of_eight(oversubscription);
      const double coupled = simulated_ms(ring_plan(order), cluster);
      EXPECT_NEAR(coupled, ring_ms(share), ring_ms(share) * 1e-5);
      // Message by message the hops that cross no full trunk go ahead by a round.
      EXPECT_NEAR(simulated_ms(ring_plan(order), cluster, SimgridMode::kStep), coupled,
                  coupled * 1e-2);
      EXPECT_GE(coupled, before);
      EXPECT_EQ(shares_links(*place_ranks(make_schedule(kCall, kNodes), order), cluster),
                share < 1.0);
      before = coupled;
    }
    EXPECT_GT(before, 2 * ring_ms(1.0));
  }
}

TEST(Contention, AJobThatAlwaysSendsTakesHalfOfEveryLink) {
  Plan plan = ring_plan();
  const CollectiveCall foreign{CollectiveKind::kAllReduce, Elements{1'000'000'000}, Bytes{1}};
  plan.second_job = ForeignJob{make_schedule(foreign, kNodes), Seconds{0}};
  // Both pay their latencies first; then they share every link until ours has ended.
  EXPECT_NEAR(simulated_ms(plan, flat()), ring_ms(0.5), ring_ms(0.5) * 1e-3);
}

TEST(Contention, AJobThatComputesMeanwhileDisturbsNobodyAndTheSimulationEnds) {
  Plan plan = ring_plan();
  const CollectiveCall foreign{CollectiveKind::kAllReduce, Elements{1'000'000}, Bytes{1}};
  plan.second_job = ForeignJob{make_schedule(foreign, kNodes), Seconds{10.0}};
  EXPECT_NEAR(simulated_ms(plan, flat()), ring_ms(1.0), ring_ms(1.0) * 1e-5);
}

TEST(Contention, APairwiseAllGatherSharesTheNicOfANodesGpus) {
  const CollectiveCall call{CollectiveKind::kAllGather, Elements{1'000'000}, Bytes{4}};
  const auto plan_of = [&](int ranks) {
    return make_collective_plan(make_schedule(call, ranks, "pairwise"), LatencyMode::kBlocking);
  };
  const double message = 4e6 / kBytesPerSecond;
  for (const int ranks : {2, 3, 8, 24}) {
    const double expected = (ranks - 1) * (kLatency + message) * 1e3;
    EXPECT_NEAR(simulated_ms(plan_of(ranks), flat()), expected, expected * 1e-5) << ranks;
  }
  // 2 nodes of 4 GPUs: in round k each node sends min(k, 8 - k) messages over its NIC at once, and
  // those inside a node are much faster: 1 + 2 + 3 + 4 + 3 + 2 + 1 = 16.
  const double expected = (7 * kLatency + 16 * message) * 1e3;
  const Cluster two_nodes = test::mixed_cluster(2, 4);
  EXPECT_NEAR(simulated_ms(plan_of(8), two_nodes), expected, expected * 1e-4);
  EXPECT_NEAR(simulated_ms(plan_of(8), two_nodes, SimgridMode::kStep), expected, expected * 1e-2);
  EXPECT_TRUE(shares_links(*make_schedule(call, 8, "pairwise"), two_nodes));
  EXPECT_FALSE(shares_links(*make_schedule(call, 8, "pairwise"), flat()));
}

TEST(RingOrder, ShufflesWholeNodesTheSameWithEveryRun) {
  const Cluster cluster = test::mixed_cluster(6, 4);
  const std::vector<int> order = shuffled_nodes(cluster, 22, 7);
  ASSERT_EQ(order.size(), 22U);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int rank = 0; rank < 22; ++rank) EXPECT_EQ(sorted[static_cast<std::size_t>(rank)], rank);
  int node_changes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int next = order[(i + 1) % order.size()];
    node_changes += order[i] / 4 != next / 4 ? 1 : 0;
  }
  EXPECT_EQ(node_changes, 6);
  EXPECT_EQ(order, shuffled_nodes(cluster, 22, 7));
  EXPECT_NE(order, shuffled_nodes(cluster, 22, 8));
}

}  // namespace
}  // namespace gradwire
