#include "simulator/collectives/latency_jitter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/errors.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr LatencyJitter kJitter{0.5, 7};

Plan two_rings(LatencyMode mode, std::optional<LatencyJitter> jitter, int ranks = 8) {
  Plan plan = test::training_plan(ranks, {{2e-3, 100'000}, {1e-3, 20'000}});
  plan.latency_mode = mode;
  plan.latency_jitter = jitter;
  return plan;
}

double end_of(const test::NamedEngine& engine, const Plan& plan, const Cluster& cluster) {
  return engine.play(plan, cluster, {}).end.count();
}

TEST(LatencyJitter, EveryEngineDrawsTheSame) {
  for (const Cluster& cluster : {test::flat_cluster(8, 10e9, 20e-6), test::mixed_cluster(2, 4)}) {
    for (const LatencyMode mode : {LatencyMode::kBlocking, LatencyMode::kMean}) {
      const Plan plan = two_rings(mode, kJitter);
      const double reference = recurrence_end(plan, cluster).count();
      EXPECT_NE(reference, recurrence_end(two_rings(mode, std::nullopt), cluster).count());
      for (const test::NamedEngine& engine : test::every_engine()) {
        EXPECT_NEAR(end_of(engine, plan, cluster), reference, reference * 1e-3)
            << engine.name << " " << cluster.name << " " << name_of(mode);
      }
    }
  }
}

TEST(LatencyJitter, OfSigmaZeroChangesNothing) {
  const Cluster cluster = test::mixed_cluster(2, 4);
  for (const test::NamedEngine& engine : test::every_engine()) {
    const double without = end_of(engine, two_rings(LatencyMode::kBlocking, std::nullopt), cluster);
    const double with =
        end_of(engine, two_rings(LatencyMode::kBlocking, LatencyJitter{0.0, 3}), cluster);
    EXPECT_NEAR(with, without, without * 1e-9) << engine.name;
  }
}

TEST(LatencyJitter, SameSeedSameAnswerAndAnotherSeedAnother) {
  const Cluster cluster = test::flat_cluster(8, 10e9, 20e-6);
  const auto end = [&](std::uint64_t seed) {
    return recurrence_end(two_rings(LatencyMode::kBlocking, LatencyJitter{0.5, seed}), cluster);
  };
  EXPECT_EQ(end(1), end(1));
  EXPECT_NE(end(1), end(2));
}

TEST(LatencyJitter, FactorsAreLognormalOfMedianOne) {
  double sum = 0.0;
  double squares = 0.0;
  int below = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double logarithm =
        std::log(latency_factor(kJitter, static_cast<std::size_t>(i % 5), i / 5, {i % 7, 3}));
    sum += logarithm;
    squares += logarithm * logarithm;
    below += logarithm < 0.0 ? 1 : 0;
  }
  // Five standard errors.
  EXPECT_NEAR(sum / kDraws, 0.0, 5 * 0.5 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(squares / kDraws), 0.5, 5 * 0.5 / std::sqrt(2.0 * kDraws));
  EXPECT_NEAR(below / static_cast<double>(kDraws), 0.5, 5 * 0.5 / std::sqrt(kDraws));
}

TEST(LatencyJitter, ARoundPaysTheLargestOfItsMessagesOrTheirMean) {
  const Cluster cluster = test::flat_cluster(4, 10e9, 20e-6);
  const auto ring = make_schedule({CollectiveKind::kAllReduce, Elements{4000}, Bytes{4}}, 4);
  const auto blocking = round_latencies(*ring, cluster, LatencyMode::kBlocking, kJitter, 3).rounds;
  const auto mean = round_latencies(*ring, cluster, LatencyMode::kMean, kJitter, 3).rounds;
  ASSERT_EQ(blocking.size(), 6u);
  for (int round = 0; round < 6; ++round) {
    double largest = 0.0;
    double sum = 0.0;
    for (int rank = 0; rank < 4; ++rank) {
      const double factor = latency_factor(kJitter, 3, round, {rank, (rank + 1) % 4});
      largest = std::max(largest, factor);
      sum += factor;
    }
    const auto r = static_cast<std::size_t>(round);
    EXPECT_NEAR(blocking[r].count(), 20e-6 * largest, 1e-15);
    EXPECT_NEAR(mean[r].count(), 20e-6 * sum / 4, 1e-15);
  }
}

TEST(LatencyJitter, SamplesDifferAndAreReproducible) {
  EXPECT_EQ(of_sample(kJitter, 3), of_sample(kJitter, 3));
  EXPECT_NE(of_sample(kJitter, 3), of_sample(kJitter, 4));
  EXPECT_EQ(of_sample(kJitter, 3).sigma, 0.5);
}

TEST(LatencyJitter, OverlappedLatenciesAreRefused) {
  const Cluster cluster = test::flat_cluster(8, 10e9, 20e-6);
  EXPECT_THROW(recurrence_end(two_rings(LatencyMode::kOverlapped, kJitter), cluster), InputError);
}

}  // namespace
}  // namespace gradwire
