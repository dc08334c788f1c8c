// Token buckets, exact as fluid: 8 nodes at 10 Gbps (1.25 GB/s), shaped to 2 Gbps (0.25 GB/s).
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/engine/token_buckets.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr double kPeak = 1.25e9;  // bytes a second
constexpr double kRate = 0.25e9;

Cluster shaped(Bytes burst, int nodes = 8, double latency = 20e-6) {
  Cluster cluster = test::flat_cluster(nodes, 10e9, latency);
  cluster.shaper = Shaper{BitsPerSecond{2e9}, burst};
  return cluster;
}

std::shared_ptr<const Schedule> ring(std::int64_t elements, int ranks = 8) {
  return make_schedule({CollectiveKind::kAllReduce, Elements{elements}, Bytes{4}}, ranks);
}

/// The engines that know a shaper.
std::vector<test::NamedEngine> engines() {
  std::vector<test::NamedEngine> engines = test::every_engine();
  engines.pop_back();
  return engines;
}

TEST(TokenBuckets, AMessageGoesAtThePeakUntilTheTokensAreGone) {
  TokenBuckets buckets(shaped(Bytes{4'000'000}));
  // 4 MB of tokens, drained at 1 GB/s: 4 ms at the peak move 5 MB; the other 5 MB take 20 ms.
  EXPECT_NEAR(buckets.send({0, 1}, 0.0, 10e6), 24e-3, 1e-12);
  // Another NIC has tokens of its own: all of 5 MB at the peak.
  EXPECT_NEAR(buckets.send({1, 2}, 0.0, 5e6), 4e-3, 1e-12);
  // 8 ms of pause bring 2 MB: 2 ms at the peak move 2.5 MB; 0.5 MB are left.
  EXPECT_NEAR(buckets.send({0, 1}, 32e-3, 3e6), 32e-3 + 2e-3 + 2e-3, 1e-12);
  // A long pause brings no more than the burst.
  EXPECT_NEAR(buckets.send({0, 1}, 10.0, 10e6), 10.024, 1e-9);
}

TEST(TokenBuckets, ANicSlowerThanTheRateIsNotShaped) {
  Cluster cluster = shaped(Bytes{0});
  cluster.slow_nics = {{0, 0.1}};
  TokenBuckets buckets(cluster);
  EXPECT_NEAR(buckets.send({0, 1}, 0.0, 1e6), 1e6 / (0.1 * kPeak), 1e-12);
}

TEST(Shaper, WithoutBurstItIsALinkOfItsRate) {
  const Plan plan = test::training_plan(8, {{2e-3, 1'000'000}, {9e-3, 4'000'000}, {1e-3, 10}});
  const Cluster slow = test::flat_cluster(8, 2e9, 20e-6);
  for (const test::NamedEngine& engine : engines()) {
    const double expected = engine.play(plan, slow, {}).end.count();
    EXPECT_NEAR(engine.play(plan, shaped(Bytes{0}), {}).end.count(), expected, expected * 1e-5)
        << engine.name;
  }
}

TEST(Shaper, WithAHugeBurstItIsNotThere) {
  const Plan plan = test::training_plan(8, {{2e-3, 1'000'000}, {9e-3, 4'000'000}, {1e-3, 10}});
  const Cluster plain = test::flat_cluster(8, 10e9, 20e-6);
  for (const test::NamedEngine& engine : engines()) {
    const double expected = engine.play(plan, plain, {}).end.count();
    EXPECT_NEAR(engine.play(plan, shaped(Bytes{1'000'000'000'000}), {}).end.count(), expected,
                expected * 1e-5)
        << engine.name;
  }
}

TEST(Shaper, RingsWithPausesSpendAndRefillTheBucket) {
  // Without latency. A ring of 4 MB: 14 messages of 0.5 MB, 7 MB a NIC. Burst 6 MB, full: 6 ms at
  // the peak could move 7.5 MB, so 7 MB take 5.6 ms and 0.4 MB are left. A pause of 10 ms (compute
  // of 15.6 ms that begins with the first ring) brings 2.5: 2.9 MB. The second ring: 2.9 ms move
  // 3.625 MB, the other 3.375 MB take 13.5 ms.
  Plan plan = test::training_plan(8, {{0.0, 1'000'000}, {15.6e-3, 1'000'000}});
  const Cluster cluster = shaped(Bytes{6'000'000}, 8, 0.0);
  for (const test::NamedEngine& engine : engines()) {
    EXPECT_NEAR(engine.play(plan, cluster, {}).end.count(), 15.6e-3 + 2.9e-3 + 13.5e-3, 1e-6)
        << engine.name;
  }
}

TEST(Shaper, EnginesAgreeOnRingsOfAnySizeAndLatency) {
  for (const double latency : {0.0, 20e-6, 1e-3}) {
    for (const std::int64_t burst : {0, 100'000, 3'000'000, 50'000'000}) {
      const Plan plan =
          test::training_plan(8, {{1e-3, 250'000}, {3e-3, 4'000'001}, {20e-3, 999'999}}, 1.07);
      const Cluster cluster = shaped(Bytes{burst}, 8, latency);
      const double reference = play_recurrence_rank_by_rank(plan, cluster, {}).end.count();
      for (const test::NamedEngine& engine : engines()) {
        EXPECT_NEAR(engine.play(plan, cluster, {}).end.count(), reference, reference * 1e-3)
            << engine.name << " " << latency << " " << burst;
      }
    }
  }
}

TEST(Shaper, OfSeveralNicsUsedTogetherIsSeveralTimesOne) {
  const Plan plan = test::collectives_in_a_row({ring(4'000'000)});
  Cluster two = shaped(Bytes{2'000'000});
  two.nics_per_node = 2;
  Cluster one = test::flat_cluster(8, 20e9, 20e-6);
  one.shaper = Shaper{BitsPerSecond{4e9}, Bytes{4'000'000}};
  EXPECT_NEAR(recurrence_end(plan, two).count(), recurrence_end(plan, one).count(), 1e-12);
}

TEST(Shaper, MoreBurstIsNeverSlower) {
  const Plan plan = test::training_plan(8, {{1e-3, 2'000'000}, {5e-3, 4'000'000}});
  double before = 1.0;
  for (const std::int64_t burst : {0, 1000, 100'000, 1'000'000, 10'000'000, 100'000'000}) {
    const double found = recurrence_end(plan, shaped(Bytes{burst})).count();
    EXPECT_LE(found, before * (1 + 1e-12)) << burst;
    before = found;
  }
  EXPECT_LT(before, recurrence_end(plan, shaped(Bytes{0})).count() / 2);
}

TEST(Shaper, WhereLinksAreSharedAndByStepItIsRefused) {
  // Pairs across two nodes of four GPUs: a NIC carries four messages at once.
  Cluster cluster = test::mixed_cluster(2, 4);
  cluster.shaper = Shaper{BitsPerSecond{2e9}, Bytes{1000}};
  const Plan shared =
      test::collectives_in_a_row({place_ranks(ring(1000), {0, 4, 1, 5, 2, 6, 3, 7})});
  EXPECT_THROW(play_simgrid(shared, cluster, {}, {}), InputError);
  const Plan plan = test::collectives_in_a_row({ring(1000)});
  EXPECT_THROW(play_simgrid(plan, shaped(Bytes{0}), {}, {SimgridMode::kStep, false}), InputError);
}

}  // namespace
}  // namespace gradwire
