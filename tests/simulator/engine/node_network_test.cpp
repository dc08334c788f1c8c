// Collectives where nodes have several NICs, capped stacks and flows, and trees of switches: every
// engine that answers gives the same.
#include <gtest/gtest.h>

#include "platforms/model/fat_tree.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

std::shared_ptr<const Schedule> all_reduce(const Participants& participants,
                                           const char* algorithm = "ring") {
  return make_schedule({CollectiveKind::kAllReduce, Elements{6'250'000}, Bytes{4}}, participants,
                       algorithm);
}

std::shared_ptr<const Schedule> pairwise(int ranks) {
  return make_schedule({CollectiveKind::kAllGather, Elements{500'000}, Bytes{4}}, ranks,
                       "pairwise");
}

double by_simgrid(const std::shared_ptr<const Schedule>& schedule, const Cluster& cluster,
                  SimgridMode mode = SimgridMode::kCoupled) {
  return play_simgrid(make_collective_plan(schedule, LatencyMode::kBlocking), cluster, {},
                      {mode, true})
      .end.count();
}

double by_recurrence(const std::shared_ptr<const Schedule>& schedule, const Cluster& cluster) {
  return play_recurrence(make_collective_plan(schedule, LatencyMode::kBlocking), cluster, {})
      .end.count();
}

void expect_all_engines_say(const std::shared_ptr<const Schedule>& schedule, const Cluster& cluster,
                            double seconds) {
  EXPECT_FALSE(shares_links(*schedule, cluster));
  EXPECT_NEAR(by_recurrence(schedule, cluster), seconds, seconds * 1e-3);
  EXPECT_NEAR(by_simgrid(schedule, cluster), seconds, seconds * 1e-3);
  EXPECT_NEAR(by_simgrid(schedule, cluster, SimgridMode::kStep), seconds, seconds * 1e-3);
}

/// A ring of 8 nodes with 25 MB at `bits_per_second`, 20 us a round.
double ring_seconds(double bits_per_second) {
  return 14 * (20e-6 + 4.0 * 781'250 * 8 / bits_per_second);
}

TEST(NodeNetwork, ARingGoesAtTheLeastOfNicsStackAndFlowCap) {
  Cluster cluster = test::flat_cluster(8, 10e9, 20e-6);
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(10e9));
  cluster.nics_per_node = 4;
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(40e9));
  cluster.efficiency = 0.9;
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(36e9));
  cluster.host_cap = BitsPerSecond{20e9};
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(20e9));
  cluster.flow_cap = BitsPerSecond{5e9};
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(5e9));
  cluster.nics_per_node = 1;
  cluster.nic_use = NicUse::kByGpu;
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(5e9));
}

TEST(NodeNetwork, GpusWithNicsOfTheirOwnDoNotSlowEachOther) {
  Cluster cluster = test::mixed_cluster(2, 4);
  const auto schedule = pairwise(8);
  const double shared = by_simgrid(schedule, cluster);
  EXPECT_TRUE(shares_links(*schedule, cluster));
  cluster.nics_per_node = 4;
  cluster.nic_use = NicUse::kByGpu;
  EXPECT_FALSE(shares_links(*schedule, cluster));
  EXPECT_NEAR(by_simgrid(schedule, cluster), by_recurrence(schedule, cluster),
              by_recurrence(schedule, cluster) * 1e-3);
  EXPECT_LT(by_simgrid(schedule, cluster), shared / 2);
}

// Four rings across two nodes at once: over one NIC each has a quarter, over four its own.
TEST(NodeNetwork, HierarchicalRingsShareWhatNicsThereAre) {
  const auto across = [](int nics, NicUse use) {
    Cluster cluster = test::mixed_cluster(8, 4);
    cluster.intra = {BitsPerSecond{1e15}, Seconds{0}};
    cluster.nic.latency = Seconds{0};
    cluster.nics_per_node = nics;
    cluster.nic_use = use;
    return by_simgrid(all_reduce({32, 4}, "hierarchical"), cluster);
  };
  const double one = across(1, NicUse::kStriped);
  EXPECT_NEAR(across(2, NicUse::kStriped), one / 2, one * 1e-3);
  EXPECT_NEAR(across(4, NicUse::kStriped), one / 4, one * 1e-3);
  EXPECT_NEAR(across(2, NicUse::kByGpu), one / 2, one * 1e-3);
  EXPECT_NEAR(across(4, NicUse::kByGpu), one / 4, one * 1e-3);
}

// Two messages of a trunk that carries 10 Gbps: a cap of 5 Gbps each changes nothing, one of 4
// does.
TEST(NodeNetwork, AFlowCapBelowTheFairShareBinds) {
  Cluster cluster = test::flat_cluster(4, 10e9, 0.0);
  cluster.topology = racks(4, 2, 2.0);
  const auto schedule = pairwise(4);
  const double shared = by_simgrid(schedule, cluster);
  for (const SimgridMode mode : {SimgridMode::kCoupled, SimgridMode::kStep}) {
    cluster.flow_cap = BitsPerSecond{10e9};
    EXPECT_NEAR(by_simgrid(schedule, cluster, mode), shared, shared * 1e-3);
    cluster.flow_cap = BitsPerSecond{4e9};
    EXPECT_NEAR(by_simgrid(schedule, cluster, mode), 3 * 2e6 * 8 / 4e9, 1e-6);
  }
}

TEST(NodeNetwork, ARingInOrderIsSlowedByNoTrunkOfANonBlockingTree) {
  Cluster cluster = test::flat_cluster(8, 10e9, 20e-6);
  cluster.topology = std::make_shared<FatTree>(8, std::vector<FatTreeLevel>{{2, 1, 2}, {2, 1, 2}});
  expect_all_engines_say(all_reduce(8), cluster, ring_seconds(10e9));
}

}  // namespace
}  // namespace gradwire
