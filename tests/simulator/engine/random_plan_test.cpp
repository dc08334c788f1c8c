// What holds for any plan, on random ones of fixed seeds, by every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "simulator/engine/simgrid/timeline_bytes.hpp"
#include "simulator/timeline/critical_path.hpp"
#include "simulator/timeline/iteration_result.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr unsigned kPlans = 25;

/// 1 to 12 ranks, 1 to 6 buckets of 0 to 20 ms and 1 to 2e6 elements, in half of the plans with a
/// slow-down, in half with uneven ranks.
Plan random_plan(unsigned seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const int ranks = static_cast<int>(between(1, 13));
  std::vector<test::BucketOfPlan> buckets(static_cast<std::size_t>(between(1, 7)));
  for (test::BucketOfPlan& bucket : buckets) {
    bucket.work_seconds = between(0, 1) < 0.2 ? 0.0 : between(0, 20e-3);
    bucket.elements = static_cast<std::int64_t>(between(1, 2e6));
  }
  const double slowdown = between(0, 1) < 0.5 ? 1.0 : between(1, 1.5);
  std::vector<double> factors;
  if (between(0, 1) < 0.5) {
    for (int rank = 0; rank < ranks; ++rank) factors.push_back(between(0.8, 1.5));
  }
  return test::training_plan(ranks, buckets, slowdown, factors);
}

Cluster random_cluster(unsigned seed) {
  std::mt19937_64 random(seed + 1000);
  Cluster cluster = test::mixed_cluster(12, 1 + static_cast<int>(random() % 4));
  cluster.nic.bandwidth = BitsPerSecond{1e9 * static_cast<double>(1 + random() % 30)};
  cluster.nic.latency = Seconds{1e-6 * static_cast<double>(random() % 50)};
  cluster.intra.latency = Seconds{1e-6 * static_cast<double>(random() % 5)};
  return cluster;
}

class AnyPlan : public testing::TestWithParam<test::NamedEngine> {
 protected:
  static Timeline play(const Plan& plan, const Cluster& cluster) {
    return GetParam().play(plan, cluster, {});
  }
};

TEST_P(AnyPlan, TheBreakdownSumsToTheEndOfTheRankThatEndsLast) {
  for (unsigned seed = 0; seed < kPlans; ++seed) {
    const Timeline timeline = play(random_plan(seed), random_cluster(seed));
    const Breakdown parts = breakdown_of(timeline, timeline.last_rank);
    EXPECT_NEAR(parts.total().count(), timeline.end.count(), 1e-12 * timeline.end.count());
    // 1e-8: dates of SimGrid.
    for (const Seconds part : {parts.compute, parts.overlap_slowdown, parts.exposed_bandwidth,
                               parts.exposed_latency, parts.waiting}) {
      EXPECT_GE(part.count(), -1e-8) << "seed " << seed;
    }
  }
}

TEST_P(AnyPlan, TheCriticalPathTilesTheTimeUpToTheEndWithWholeOps) {
  for (unsigned seed = 0; seed < kPlans; ++seed) {
    const Plan plan = random_plan(seed);
    TimelineRequest request;
    for (int rank = 0; rank < plan.workers; ++rank) request.ranks.push_back(rank);
    const Timeline timeline = GetParam().play(plan, random_cluster(seed), request);
    const CriticalPath path = critical_path_of(plan, timeline);
    Seconds now{0};
    for (const PathSegment& segment : path.segments) {
      EXPECT_EQ(segment.start, now) << "seed " << seed;
      now = segment.end;
      const auto interval = std::find_if(
          timeline.intervals.begin(), timeline.intervals.end(), [&](const Interval& candidate) {
            return candidate.op == segment.op && candidate.rank == segment.rank;
          });
      ASSERT_NE(interval, timeline.intervals.end());
      // Nothing is idle on the path: an op fills its segment, a collective what it does not wait.
      EXPECT_NEAR(segment.start.count(), (interval->start + interval->waiting).count(), 1e-8)
          << "seed " << seed << " " << segment.label;
      EXPECT_NEAR(segment.end.count(), interval->end.count(), 1e-8) << "seed " << seed;
    }
    EXPECT_EQ(now, timeline.end) << "seed " << seed;
    EXPECT_NEAR(breakdown_of(path).total().count(), timeline.end.count(),
                1e-12 * timeline.end.count());
  }
}

TEST_P(AnyPlan, AFreeNetworkExposesNothingAndLeavesTheComputeOfTheSlowestRank) {
  for (unsigned seed = 0; seed < kPlans; ++seed) {
    const Plan plan = random_plan(seed);
    Cluster cluster = random_cluster(seed);
    cluster.nic = {BitsPerSecond{1e24}, Seconds{0}};
    cluster.intra = cluster.nic;
    const Timeline timeline = play(plan, cluster);
    // Every rank waits at each bucket only on the communication stream, so compute is undisturbed
    // but for slow-down while an early rank waits for a late one; the last rank never waits.
    double longest = 0.0;
    for (int rank = 0; rank < plan.workers; ++rank) {
      double work = 0.0;
      for (const Op& op : plan.ops) work += op.work.count() * plan.compute_factor(rank);
      longest = std::max(longest, work);
    }
    EXPECT_NEAR(timeline.end.count(), longest, 1e-7) << "seed " << seed;
    EXPECT_NEAR(breakdown_of(timeline, timeline.last_rank).exposed().count(), 0.0, 1e-7)
        << "seed " << seed;
  }
}

TEST_P(AnyPlan, MoreBandwidthIsNeverSlower) {
  for (unsigned seed = 0; seed < kPlans; ++seed) {
    const Plan plan = random_plan(seed);
    Cluster cluster = random_cluster(seed);
    double slower = play(plan, cluster).end.count();
    for (const double factor : {1.3, 2.0, 10.0}) {
      cluster.nic.bandwidth = cluster.nic.bandwidth * factor;
      const double faster = play(plan, cluster).end.count();
      EXPECT_LE(faster, slower + 1e-8) << "seed " << seed << " factor " << factor;
      slower = faster;
    }
  }
}

TEST_P(AnyPlan, TwiceTheLatencyIsNeverFaster) {
  for (unsigned seed = 0; seed < kPlans; ++seed) {
    const Plan plan = random_plan(seed);
    Cluster cluster = random_cluster(seed);
    const double before = play(plan, cluster).end.count();
    cluster.nic.latency *= 2;
    cluster.intra.latency *= 2;
    EXPECT_GE(play(plan, cluster).end.count(), before - 1e-8) << "seed " << seed;
  }
}

TEST_P(AnyPlan, ASlowdownOfOneIsNoneAndALargerOneNeverFaster) {
  for (unsigned seed = 0; seed < kPlans; ++seed) {
    Plan plan = random_plan(seed);
    const Cluster cluster = random_cluster(seed);
    plan.overlap_slowdown = 1.0;
    const Timeline none = play(plan, cluster);
    EXPECT_NEAR(breakdown_of(none, none.last_rank).overlap_slowdown.count(), 0.0, 1e-8);
    plan.overlap_slowdown = 1.2;
    EXPECT_GE(play(plan, cluster).end, none.end - Seconds{1e-8}) << "seed " << seed;
  }
}

TEST_P(AnyPlan, PlayedTwiceGivesTheSameBytes) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Plan plan = random_plan(seed);
    TimelineRequest request;
    for (int rank = 0; rank < plan.workers; ++rank) request.ranks.push_back(rank);
    const Cluster cluster = random_cluster(seed);
    EXPECT_EQ(to_bytes(GetParam().play(plan, cluster, request)),
              to_bytes(GetParam().play(plan, cluster, request)))
        << "seed " << seed;
  }
}

TEST_P(AnyPlan, ATimelineComesBackFromItsBytes) {
  const Timeline timeline = play(random_plan(3), random_cluster(3));
  const std::string bytes = to_bytes(timeline);
  const Timeline back = timeline_from_bytes(bytes);
  EXPECT_EQ(to_bytes(back), bytes);
  EXPECT_EQ(back.intervals.size(), timeline.intervals.size());
  EXPECT_EQ(back.end, timeline.end);
}

INSTANTIATE_TEST_SUITE_P(Engines, AnyPlan, testing::ValuesIn(test::every_engine()),
                         test::engine_name);

}  // namespace
}  // namespace gradwire
