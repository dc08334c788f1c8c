// An all-reduce on networks of many links, by every engine, and with messages that meet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platforms/model/dragonfly.hpp"
#include "platforms/model/switch_graph.hpp"
#include "platforms/model/torus.hpp"
#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

constexpr double kNic = 10e9;
constexpr double kLatency = 20e-6;
constexpr std::int64_t kChunk = 1'000'000;  // bytes

Cluster on(std::shared_ptr<const Topology> topology) {
  Cluster cluster = test::flat_cluster(topology->nodes(), kNic, kLatency);
  cluster.topology = std::move(topology);
  check_cluster(cluster);
  return cluster;
}

std::shared_ptr<const Schedule> ring(int ranks) {
  return make_schedule({CollectiveKind::kAllReduce, Elements{kChunk / 4 * ranks}, Bytes{4}}, ranks);
}

double simulated(const std::shared_ptr<const Schedule>& schedule, const Cluster& cluster,
                 SimgridMode mode) {
  const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
  return play_simgrid(plan, cluster, {}, {mode, true}).end.count();
}

double recurrence(const std::shared_ptr<const Schedule>& schedule, const Cluster& cluster) {
  return recurrence_end(make_collective_plan(schedule, LatencyMode::kBlocking), cluster).count();
}

/// Rounds of the ring, each of the latency and of a chunk at `bits_per_second`.
double ring_seconds(int ranks, double latency, double bits_per_second) {
  return 2 * (ranks - 1) * (latency + 8.0 * kChunk / bits_per_second);
}

std::shared_ptr<const Topology> dragonfly(double global_bandwidth) {
  DragonflyShape shape;
  shape.groups = 3;
  shape.routers = 2;
  shape.nodes_per_router = 2;
  shape.local_bandwidth = BitsPerSecond{40e9};
  shape.global_bandwidth = BitsPerSecond{global_bandwidth};
  return std::make_shared<Dragonfly>(shape);
}

TEST(TopologyEngines, ARingWhoseMessagesDoNotMeetTakesTheSameInAllOfThem) {
  // On a ring of one dimension each neighbour is a link away; the others' messages from group to
  // group, or from leaf to leaf, are one for each link.
  const std::vector<Cable> star = {{"a", "core", BitsPerSecond{kNic}, Seconds{0}},
                                   {"b", "core", BitsPerSecond{kNic}, Seconds{0}},
                                   {"c", "core", BitsPerSecond{kNic}, Seconds{0}}};
  const std::vector<std::string> places = {"a", "a", "a", "b", "b", "c", "c", "c"};
  for (const Cluster& cluster :
       {on(std::make_shared<Torus>(std::vector{8}, BitsPerSecond{kNic})), on(dragonfly(kNic)),
        on(std::make_shared<SwitchGraph>(star, places))}) {
    SCOPED_TRACE(cluster.topology->describe());
    const auto schedule = ring(cluster.nodes);
    ASSERT_FALSE(shares_links(*schedule, cluster));
    const double expected = ring_seconds(cluster.nodes, kLatency, kNic);
    EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kCoupled), expected, expected * 1e-5);
    EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kStep), expected, expected * 1e-5);
    EXPECT_NEAR(recurrence(schedule, cluster), expected, expected * 1e-9);
  }
}

TEST(TopologyEngines, ALinkSlowerThanTheNicsBoundsTheRing) {
  const Cluster cluster = on(dragonfly(kNic / 4));
  const auto schedule = ring(cluster.nodes);
  const double expected = ring_seconds(cluster.nodes, kLatency, kNic / 4);
  EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kCoupled), expected, expected * 1e-5);
  // Message by message those of other links go ahead; the ring is no faster for it.
  EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kStep), expected, expected * 1e-2);
  EXPECT_NEAR(recurrence(schedule, cluster), expected, expected * 1e-2);
}

TEST(TopologyEngines, LatenciesOfLinksAreThoseOfTheLongestWay) {
  // Nodes 3 and 4 of a 4 x 2 torus are (3, 0) and (0, 1), two links apart; so are 7 and 0.
  const Cluster cluster =
      on(std::make_shared<Torus>(std::vector{4, 2}, BitsPerSecond{kNic}, Seconds{5e-6}));
  const auto schedule = ring(8);
  const double expected = ring_seconds(8, kLatency + 2 * 5e-6, kNic);
  EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kCoupled), expected, expected * 1e-5);
  EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kStep), expected, expected * 1e-3);
}

TEST(TopologyEngines, MessagesThatMeetOnALinkShareIt) {
  // Every second node of a ring of 5: each link carries the messages of two nodes.
  const Cluster cluster = on(std::make_shared<Torus>(std::vector{5}, BitsPerSecond{kNic}));
  const auto schedule = place_ranks(ring(5), {0, 2, 4, 1, 3});
  EXPECT_TRUE(shares_links(*schedule, cluster));
  const double expected = ring_seconds(5, kLatency, kNic / 2);
  EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kCoupled), expected, expected * 1e-5);
  EXPECT_NEAR(simulated(schedule, cluster, SimgridMode::kStep), expected, expected * 1e-5);
}

}  // namespace
}  // namespace gradwire
