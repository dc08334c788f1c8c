#include "simulator/questions/link_use.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

using Link = LinkUse::Link;
using Direction = LinkUse::Direction;

std::optional<LinkUse> find(const std::vector<LinkUse>& uses, Link link, int owner,
                            Direction direction) {
  for (const LinkUse& use : uses) {
    if (use.link == link && use.owner == owner && use.direction == direction) return use;
  }
  return std::nullopt;
}

double bytes_of(const LinkUse& use) {
  double bytes = 0.0;
  for (const LinkBusy& busy : use.busy) {
    bytes += busy.rate.bytes_per_second() * (busy.end - busy.start).count();
  }
  return bytes;
}

void expect_below_capacity_and_apart(const std::vector<LinkUse>& uses) {
  for (const LinkUse& use : uses) {
    Seconds before{0};
    for (const LinkBusy& busy : use.busy) {
      EXPECT_LE(busy.rate, use.capacity);
      EXPECT_GT(busy.rate.count(), 0.0);
      EXPECT_GE(busy.start, before);
      EXPECT_GT(busy.end, busy.start);
      before = busy.end;
    }
  }
}

/// An all-reduce of 8000 floats among two nodes of two ranks: chunks of 2000, six rounds, so every
/// rank sends 48,000 bytes to the next one: 0 to 1 and 2 to 3 inside their nodes, 1 to 2 and 3 to 0
/// between them.
TEST(LinkUse, ARingLeavesANodeOnceAndEntersItOnce) {
  const Cluster cluster = test::mixed_cluster(2, 2);
  const Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllReduce, Elements{8000}, Bytes{4}}, 4)});
  const Timeline timeline = play_recurrence(plan, cluster, {{0}});
  const auto uses = link_use_of(plan, cluster, timeline);
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    const auto nic = find(uses, Link::kNic, 0, direction);
    ASSERT_TRUE(nic);
    EXPECT_EQ(nic->capacity, cluster.nic.bandwidth);
    EXPECT_NEAR(bytes_of(*nic), 48'000.0, 1e-3);
    EXPECT_EQ(nic->busy.front().start, Seconds{0});
    EXPECT_EQ(nic->busy.back().end, timeline.end);
  }
  const auto inner = find(uses, Link::kInner, 0, Direction::kOut);
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->capacity, cluster.intra.bandwidth);
  EXPECT_NEAR(bytes_of(*inner), 48'000.0, 1e-3);
  EXPECT_FALSE(find(uses, Link::kInner, 0, Direction::kIn));  // from rank 3, over the NIC
  EXPECT_FALSE(find(uses, Link::kNic, 1, Direction::kOut));   // no rank of node 1 is shown
  expect_below_capacity_and_apart(uses);
}

TEST(LinkUse, ARingInAnotherOrderMayLeaveANodeTwice) {
  const Cluster cluster = test::mixed_cluster(2, 2);
  const Plan plan = test::collectives_in_a_row({place_ranks(
      make_schedule({CollectiveKind::kAllReduce, Elements{8000}, Bytes{4}}, 4), {0, 2, 1, 3})});
  const Timeline timeline = play_simgrid(plan, cluster, {{0}}, {});
  const auto uses = link_use_of(plan, cluster, timeline);
  const auto nic = find(uses, Link::kNic, 0, Direction::kOut);
  ASSERT_TRUE(nic);
  EXPECT_NEAR(bytes_of(*nic), 96'000.0, 1e-3);
  EXPECT_FALSE(find(uses, Link::kInner, 0, Direction::kOut));
  expect_below_capacity_and_apart(uses);
}

/// Pairwise among two nodes of two ranks: each of node 0's two ranks sends its 1000 floats to the
/// two of node 1.
TEST(LinkUse, APairwiseAllGatherIsCountedMessageByMessage) {
  const Cluster cluster = test::mixed_cluster(2, 2);
  const Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllGather, Elements{1000}, Bytes{4}}, 4, "pairwise")});
  const Timeline timeline = play_simgrid(plan, cluster, {{0}}, {});
  const auto uses = link_use_of(plan, cluster, timeline);
  const auto nic = find(uses, Link::kNic, 0, Direction::kOut);
  ASSERT_TRUE(nic);
  EXPECT_NEAR(bytes_of(*nic), 4 * 4000.0, 1e-3);
  EXPECT_NEAR(bytes_of(*find(uses, Link::kInner, 0, Direction::kOut)), 4000.0, 1e-3);
  expect_below_capacity_and_apart(uses);
}

TEST(LinkUse, NoBytesGoBeforeTheLastRankComesUnlessTheyHaveTo) {
  // Rank 1 computes three times as long; every byte of the ring needs it.
  const Cluster cluster = test::flat_cluster(2, 10e9, 10e-6);
  const Plan plan = test::training_plan(2, {{1e-3, 1'000'000}}, 1.0, {1.0, 3.0});
  const Timeline timeline = play_simgrid(plan, cluster, {{0, 1}}, {});
  const auto nic = find(link_use_of(plan, cluster, timeline), Link::kNic, 0, Direction::kOut);
  ASSERT_TRUE(nic);
  EXPECT_NEAR(nic->busy.front().start.count(), 3e-3, 1e-9);
}

TEST(LinkUse, IsBelowCapacityAndKeepsEveryByteWhateverTheRanksDo) {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const int nodes = std::uniform_int_distribution<int>(2, 6)(random);
    const int gpus = std::uniform_int_distribution<int>(1, 3)(random);
    Cluster cluster = test::mixed_cluster(nodes, gpus);
    if (trial % 3 == 0) cluster.slow_nics = {{0, 0.5}};
    std::vector<test::BucketOfPlan> buckets;
    for (int i = 0; i < 5; ++i) {
      buckets.push_back(
          {uniform(0.0, 2e-3), std::uniform_int_distribution<std::int64_t>(1, 2'000'000)(random)});
    }
    std::vector<double> factors;
    for (int rank = 0; rank < nodes * gpus; ++rank) factors.push_back(uniform(1.0, 3.0));
    const Plan plan = test::training_plan(nodes * gpus, buckets, 1.1, factors);
    std::vector<int> ranks;
    for (int rank = 0; rank < nodes * gpus; ++rank) ranks.push_back(rank);
    const Timeline timeline = trial % 2 == 0 ? play_recurrence(plan, cluster, {ranks})
                                             : play_simgrid(plan, cluster, {ranks}, {});
    const auto uses = link_use_of(plan, cluster, timeline);
    expect_below_capacity_and_apart(uses);
    double sent = 0.0;
    for (const Interval& interval : timeline.intervals) {
      sent += static_cast<double>(interval.sent.count());
    }
    double carried = 0.0;
    for (const LinkUse& use : uses) {
      if (use.direction == Direction::kOut) carried += bytes_of(use);
      // A link that cannot have done it in time would be busy behind the end.
      EXPECT_LE(use.busy.back().end, timeline.end + Seconds{1e-9});
    }
    EXPECT_NEAR(carried, sent, sent * 1e-9);
  }
}

}  // namespace
}  // namespace gradwire
