#include "simulator/questions/monte_carlo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compressors/spec/registry.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// 100 ms of compute on each of `workers`, then an all-reduce of `elements` float32 over links of
/// 10 Gbps and no latency.
Scenario one_bucket(int workers, std::int64_t elements) {
  Scenario scenario;
  scenario.workload = test::workload_of({{100.0, elements}}, 100.0);
  scenario.cluster = test::flat_cluster(workers, 10e9, 0.0);
  scenario.workers = workers;
  return scenario;
}

/// Hardly anything to exchange: the slowest rank decides.
Scenario compute_bound(int workers) { return one_bucket(workers, workers); }

ComputeJitter lognormal(double sigma) {
  ComputeJitter jitter;
  jitter.sigma = sigma;
  return jitter;
}

TEST(DrawnFactors, DependOnSeedAndSampleAlone) {
  const Scenario scenario = compute_bound(8);
  const ComputeJitter jitter{{0.9, 1.0, 1.1}, 0.05, {}};
  EXPECT_EQ(draw_factors(scenario, jitter, 7, 3), draw_factors(scenario, jitter, 7, 3));
  EXPECT_NE(draw_factors(scenario, jitter, 7, 3), draw_factors(scenario, jitter, 7, 4));
  EXPECT_NE(draw_factors(scenario, jitter, 7, 3), draw_factors(scenario, jitter, 8, 3));
}

TEST(DrawnFactors, OfARankDoNotDependOnHowManyThereAre) {
  const ComputeJitter jitter = lognormal(0.1);
  const std::vector<double> few = draw_factors(compute_bound(4), jitter, 1, 0);
  std::vector<double> many = draw_factors(compute_bound(32), jitter, 1, 0);
  many.resize(4);
  EXPECT_EQ(many, few);
}

TEST(DrawnFactors, AreLognormalWithTheMedianAndSigmaAskedFor) {
  const Scenario scenario = compute_bound(2);
  std::vector<double> logarithms;
  for (int sample = 0; sample < 10'000; ++sample) {
    for (const double factor : draw_factors(scenario, lognormal(0.2), 1, sample)) {
      logarithms.push_back(std::log(factor));
    }
  }
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : logarithms) {
    sum += value;
    squares += value * value;
  }
  // 20 000 draws: standard errors 0.0014 of the mean and 0.001 of sigma; bands of four of them.
  const double mean = sum / 20'000;
  EXPECT_NEAR(mean, 0.0, 0.0057);
  EXPECT_NEAR(std::sqrt(squares / 20'000 - mean * mean), 0.2, 0.004);
}

TEST(DrawnFactors, OfAStragglerMultiplyItsOwnFactorAndSpread) {
  Scenario scenario = compute_bound(2);
  scenario.compute_factors = {1.0, 1.5};
  ComputeJitter jitter{{2.0}, 0.0, {0.0, 0.1}};
  bool varies = false;
  for (int sample = 0; sample < 10; ++sample) {
    const std::vector<double> factors = draw_factors(scenario, jitter, 1, sample);
    EXPECT_DOUBLE_EQ(factors[0], 2.0);
    varies = varies || factors[1] != 3.0;
    // Five sigmas of 10 %.
    EXPECT_GT(factors[1], 3.0 * std::exp(-0.5));
    EXPECT_LT(factors[1], 3.0 * std::exp(0.5));
  }
  EXPECT_TRUE(varies);
}

TEST(MonteCarlo, OfTwoRanksAndTwoFactorsHasTheDistributionOfTheirMaximum) {
  // Factors 1 and 2, alike: the maximum is 1 in a quarter of the samples, else 2. So p5 is 100 ms,
  // p50 and p95 200 ms, the mean 175 ms. One element a rank costs 2 x 4 B at 10 Gbps: 6.4 ns.
  ComputeJitter jitter;
  jitter.recorded = {1.0, 2.0};
  const MonteCarlo found = play_samples(compute_bound(2), jitter, {10'000, 1});
  EXPECT_NEAR(found.backward_sync.p5.count(), 100e-3, 1e-7);
  EXPECT_NEAR(found.backward_sync.p50.count(), 200e-3, 1e-7);
  EXPECT_NEAR(found.backward_sync.p95.count(), 200e-3, 1e-7);
  // The standard error of a share of a quarter among 10 000 is 0.0043: a band of four of them.
  EXPECT_NEAR(found.backward_sync.mean.count(), 175e-3, 4 * 0.0043 * 100e-3);
  EXPECT_TRUE(found.speedups.empty());
}

TEST(MonteCarlo, PercentilesAreTheSmallestValuesThatTheShareDoesNotExceed) {
  // The times of the samples one by one, sorted: of 20, number 1, number 10 and number 19.
  const Scenario scenario = compute_bound(3);
  const ComputeJitter jitter = lognormal(0.1);
  std::vector<double> times;
  for (int sample = 0; sample < 20; ++sample) {
    Scenario drawn = scenario;
    drawn.compute_factors = draw_factors(scenario, jitter, 5, sample);
    times.push_back(recurrence_time(drawn).count());
  }
  std::sort(times.begin(), times.end());
  const MonteCarlo found = play_samples(scenario, jitter, {20, 5});
  EXPECT_DOUBLE_EQ(found.backward_sync.p5.count(), times[0]);
  EXPECT_DOUBLE_EQ(found.backward_sync.p50.count(), times[9]);
  EXPECT_DOUBLE_EQ(found.backward_sync.p95.count(), times[18]);
}

TEST(MonteCarlo, WithoutJitterIsThePlainAnswer) {
  Scenario scenario = one_bucket(6, 1'000'001);
  for (const double factor : {1.0, 1.5}) {
    if (factor != 1.0) scenario.compute_factors = {1.0, 1.0, factor, 1.0, 1.0, 1.0};
    const MonteCarlo found = play_samples(scenario, {}, {100, 1});
    const Seconds plain = recurrence_time(scenario);
    EXPECT_EQ(found.backward_sync.p5, plain);
    EXPECT_EQ(found.backward_sync.p50, plain);
    EXPECT_EQ(found.backward_sync.p95, plain);
  }
}

TEST(MonteCarlo, AStragglerSlowsAComputeBoundRunByItsFactor) {
  Scenario scenario = compute_bound(4);
  scenario.compute_factors = {1.0, 1.0, 1.0, 1.5};
  // The exchange: 6 rounds of one element, 4 B at 10 Gbps each.
  EXPECT_NEAR(recurrence_time(scenario).count(), 150e-3 + 6 * 3.2e-9, 1e-12);
}

TEST(MonteCarlo, MoreJitterAndMoreRanksTakeLonger) {
  double before = 0.0;
  for (const double sigma : {0.0, 0.01, 0.05, 0.2}) {
    const double mean =
        play_samples(compute_bound(8), lognormal(sigma), {500, 1}).backward_sync.mean.count();
    EXPECT_GT(mean, before);
    before = mean;
  }
  // The expected maximum grows with the ranks.
  before = 0.0;
  for (const int workers : {2, 8, 32}) {
    const double mean =
        play_samples(compute_bound(workers), lognormal(0.05), {500, 1}).backward_sync.mean.count();
    EXPECT_GT(mean, before);
    before = mean;
  }
}

TEST(MonteCarlo, SpeedupsComeFromTheSameDrawsOnBothSides) {
  // 10 M elements in float32 around 4 ranks: 6 x 2.5 M x 4 B at 10 Gbps, 48 ms; fp16 24 ms; signSGD
  // 3 rounds of 10 Mbit at 10 Gbps, 3 ms, and 5 ms of encoding. The slowest rank's factor f decides
  // (one bucket, nothing overlaps): 100 f + 48 and 100 f + 24 over 105 f + 3.
  Scenario scenario = one_bucket(4, 10'000'000);
  scenario.caps = {Bytes{1 << 30}, Bytes{1 << 30}};
  scenario.compression.scheme = parse_scheme("signsgd");
  scenario.compression.encode = Seconds{5e-3};
  ComputeJitter jitter;
  jitter.recorded = {1.0, 8.0};
  const MonteCarlo found = play_samples(scenario, jitter, {2000, 1});
  ASSERT_EQ(found.speedups.size(), 2U);
  const SpeedupSpread& float32 = found.speedups[0];
  EXPECT_EQ(float32.baseline, "float32");
  // All four ranks draw 1 in a 16th of the samples: more than 5 %. Then 148 / 108, else 848 / 843.
  EXPECT_NEAR(float32.p5, 848.0 / 843.0, 1e-4);
  EXPECT_NEAR(float32.p50, 848.0 / 843.0, 1e-4);
  EXPECT_NEAR(float32.p95, 148.0 / 108.0, 1e-4);
  // A win in these samples alone; standard error 0.0054.
  EXPECT_NEAR(float32.win_share, 1.0 / 16.0, 4 * 0.0054);
  const SpeedupSpread& fp16 = found.speedups[1];
  EXPECT_EQ(fp16.baseline, "fp16");
  EXPECT_NEAR(fp16.p50, 824.0 / 843.0, 1e-4);
  EXPECT_NEAR(fp16.p95, 124.0 / 108.0, 1e-4);
  EXPECT_DOUBLE_EQ(fp16.win_share, float32.win_share);
}

TEST(MonteCarlo, ASampleIsWhatSimgridSaysOfTheSameFactors) {
  Scenario scenario;
  scenario.workload = test::workload_of(
      {{20.0, 3'000'000}, {45.0, 8'000'000}, {70.0, 8'000'000}, {80.0, 1'000'000}}, 85.0);
  scenario.cluster = test::mixed_cluster(3, 4);
  scenario.workers = 12;
  scenario.overlap_slowdown = 1.07;
  const ComputeJitter jitter = lognormal(0.1);
  // On links of two speeds the coupled mode begins a collective with its last rank, and is later.
  for (const SimgridMode mode : {SimgridMode::kStep, SimgridMode::kCoupled}) {
    if (mode == SimgridMode::kCoupled) scenario.cluster = test::flat_cluster(12, 10e9, 20e-6);
    EstimatorSettings settings;
    settings.simgrid.mode = mode;
    for (int sample = 0; sample < 3; ++sample) {
      Scenario drawn = scenario;
      drawn.compute_factors = draw_factors(scenario, jitter, 1, sample);
      const double simgrid = estimate(drawn, Estimator::kSimgrid, settings).backward_sync.count();
      EXPECT_NEAR(recurrence_time(drawn).count(), simgrid, 1e-3 * simgrid);
    }
  }
}

TEST(MonteCarlo, RefusesWhatTheRecurrenceDoesNotModel) {
  Scenario shared = one_bucket(2, 1'000'000);
  shared.second_job = SecondJob{Bytes{1'000'000}, Seconds{0.01}};
  EXPECT_NE(test::input_error_of([&] { play_samples(shared, lognormal(0.1), {}); }).find("shared"),
            std::string::npos);
  Scenario overlapped = one_bucket(2, 1'000'000);
  overlapped.compression.scheme = parse_scheme("signsgd");
  overlapped.compression.mode = CompressionMode::kOverlapped;
  overlapped.compression.buckets.resize(1);
  overlapped.compression.buckets[0].decode.device = Seconds{4e-3};
  EXPECT_NE(test::input_error_of([&] {
              play_samples(overlapped, lognormal(0.1), {});
            }).find("overlapped"),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
