#include "simulator/questions/bucket_choice.hpp"

#include <gtest/gtest.h>

#include <random>

#include "compressors/spec/registry.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/workload_file.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

Seconds ms(double value) { return Seconds{value * 1e-3}; }

BucketCost encoding(double milliseconds) { return {{{}, ms(milliseconds), {}}, {}, {}}; }

/// Two buckets of 60,000 and 4,000 elements, ready at 10 and 20 of 25 ms. Two ranks, no latency, 32
/// Mbps: an all-reduce of e float32 takes e microseconds.
Scenario two_buckets() {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 60'000}, {20, 4'000}}, 25);
  scenario.caps = {Bytes{1}, Bytes{1}};
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  scenario.workers = 2;
  return scenario;
}

/// DDP as it is, and signs that take 1 ms to encode of the first bucket and 20 ms of the second.
std::vector<BucketCandidate> plain_or_signs() {
  return {{nullptr, {{}, {}}}, {parse_scheme("signsgd"), {encoding(1), encoding(20)}}};
}

TEST(BucketChoice, CompressesTheBucketThatGainsAndLeavesTheOther) {
  const BucketChoice choice = find_bucket_choice(two_buckets(), plain_or_signs());
  // Signs everywhere: the second encoding ends at 41, the backward pass at 46. Nowhere: 10 + 60 +
  // 4. Signs of the first alone: its 1875 words are gone at 12.875, the second is ready at 21 and
  // gone at 25, the backward pass ends at 26.
  EXPECT_NEAR(choice.time.count(), 26e-3, 1e-12);
  EXPECT_EQ(choice.candidates, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(choice.uniform, 1U);
  EXPECT_NEAR(choice.uniform_time.count(), 46e-3, 1e-12);
  EXPECT_TRUE(choice.exact);
  EXPECT_EQ(choice.combinations, 4);
}

TEST(BucketChoice, IsAScenarioThatTakesTheTimeItSays) {
  Scenario scenario = two_buckets();
  const BucketChoice choice = find_bucket_choice(scenario, plain_or_signs());
  scenario.compression = choice.compression;
  for (const Estimator estimator : {Estimator::kRecurrence, Estimator::kSimgrid}) {
    EXPECT_NEAR(estimate(scenario, estimator).backward_sync.count(), choice.time.count(), 1e-6);
  }
}

TEST(BucketChoice, OneBucketAtATimeAboveTheLimitAndSaysSo) {
  const BucketChoice choice = find_bucket_choice(two_buckets(), plain_or_signs(), {3, true});
  EXPECT_FALSE(choice.exact);
  EXPECT_NEAR(choice.time.count(), 26e-3, 1e-12);  // one change away from signs everywhere
}

TEST(BucketChoice, KeepsTheUniformCandidateWhereAnotherGainsNothing) {
  // Two schemes that cost nothing and are hidden alike: the second bucket's signs end before the
  // backward pass does, its fp16 as well.
  const std::vector<BucketCandidate> candidates = {{parse_scheme("signsgd"), {{}, {}}},
                                                   {parse_scheme("fp16"), {{}, {}}}};
  const BucketChoice choice = find_bucket_choice(two_buckets(), candidates, {100, false});
  EXPECT_EQ(choice.uniform, 0U);
  EXPECT_EQ(choice.candidates, (std::vector<std::size_t>{0, 0}));
}

TEST(BucketChoice, LeavesOutWhatIsBetterInNothing) {
  // float32 without cost against fp16 without cost: one candidate is left, and it is fp16.
  const std::vector<BucketCandidate> candidates = {
      {nullptr, {{}, {}}}, {parse_scheme("fp16"), {{}, {}}}, {parse_scheme("bf16"), {{}, {}}}};
  const BucketChoice choice = find_bucket_choice(two_buckets(), candidates);
  EXPECT_EQ(choice.combinations, 1);
  EXPECT_EQ(choice.candidates, (std::vector<std::size_t>{1, 1}));
}

TEST(BucketChoice, RefusesASharedNetwork) {
  Scenario scenario = two_buckets();
  scenario.second_job = SecondJob{Bytes{1'000'000}, ms(10)};
  EXPECT_NE(
      test::input_error_of([&] { find_bucket_choice(scenario, plain_or_signs()); }).find("shares"),
      std::string::npos);
}

/// A job with 2 to 4 buckets and schemes whose costs are anything.
class RandomJob {
 public:
  explicit RandomJob(unsigned seed) : random_(seed) {
    std::vector<test::GradientAt> gradients;
    const int buckets = std::uniform_int_distribution<int>(2, 4)(random_);
    double ready = 0.0;
    for (int i = 0; i < buckets; ++i) {
      ready += uniform(0.5, 10.0);
      gradients.push_back(
          {ready, std::uniform_int_distribution<std::int64_t>(1'000, 4'000'000)(random_)});
    }
    scenario.workload = test::workload_of(gradients, ready + uniform(0.0, 3.0));
    for (ReadyGradient& gradient : scenario.workload.edit().gradients) {
      gradient.shape = {10, gradient.elements.count() / 10};
      gradient.elements = Elements{gradient.elements.count() / 10 * 10};
      gradient.launched = std::min(gradient.ready, ms(uniform(0.0, 20.0)));
    }
    scenario.caps = {Bytes{1}, Bytes{1}};
    scenario.cluster = test::mixed_cluster(4, 2);
    scenario.workers = std::uniform_int_distribution<int>(2, 8)(random_);
    scenario.overlap_slowdown = uniform(1.0, 1.2);
    candidates.push_back({nullptr, std::vector<BucketCost>(gradients.size())});
    for (const char* scheme : {"fp16", "powersgd:rank=2", "signsgd", "topk:fraction=0.01"}) {
      std::vector<BucketCost> costs;
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        costs.push_back({stage(), scheme[0] == 'p' ? stage() : StageCost{}, stage()});
      }
      candidates.push_back({parse_scheme(scheme), costs});
    }
    // Better in nothing than rank 2: the search leaves it out, brute force does not.
    std::vector<BucketCost> more = candidates[2].costs;
    for (BucketCost& cost : more) {
      cost.encode.host += ms(uniform(0, 2));
      cost.between.device += ms(uniform(0, 2));
      cost.decode.wait += ms(uniform(0, 2));
    }
    candidates.push_back({parse_scheme("powersgd:rank=4"), more});
  }

  Scenario scenario;
  std::vector<BucketCandidate> candidates;

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  StageCost stage() {
    return {ms(uniform(0, 2)), ms(uniform(0, 4)), ms(uniform(-1, 1) > 0 ? uniform(0, 1) : 0)};
  }

  std::mt19937 random_;
};

/// Every combination, by digits of a number.
Seconds best_by_brute_force(Scenario scenario, const std::vector<BucketCandidate>& candidates) {
  const std::size_t buckets = scenario.workload->gradients.size();
  scenario.compression.mode = CompressionMode::kOverlapped;
  Seconds best{1e9};
  std::size_t all = 1;
  for (std::size_t i = 0; i < buckets; ++i) all *= candidates.size();
  for (std::size_t number = 0; number < all; ++number) {
    scenario.compression.bucket_schemes.clear();
    scenario.compression.buckets.clear();
    std::size_t rest = number;
    for (std::size_t i = 0; i < buckets; ++i, rest /= candidates.size()) {
      const BucketCandidate& candidate = candidates[rest % candidates.size()];
      scenario.compression.bucket_schemes.push_back(candidate.scheme);
      scenario.compression.buckets.push_back(candidate.costs[i]);
    }
    best = std::min(best, recurrence_time(scenario));
  }
  return best;
}

TEST(BucketChoice, IsTheBestOfAllCombinationsOfRandomJobs) {
  int mixed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomJob job(seed);
    const Seconds best = best_by_brute_force(job.scenario, job.candidates);
    const BucketChoice choice = find_bucket_choice(job.scenario, job.candidates);
    EXPECT_TRUE(choice.exact);
    EXPECT_NEAR(choice.time.count(), best.count(), 3e-9) << "seed " << seed;
    for (const std::size_t candidate : choice.candidates) {
      if (candidate != choice.uniform) ++mixed;
    }
  }
  EXPECT_GT(mixed, 20);  // of about 180 buckets: the search is not about uniform answers
}

TEST(BucketChoice, NeverIsSlowerThanTheBestUniformChoiceAndIsFinalForSingleChanges) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomJob job(seed);
    const BucketChoice choice = find_bucket_choice(job.scenario, job.candidates, {0, true});
    EXPECT_FALSE(choice.exact);
    EXPECT_LE(choice.time, choice.uniform_time);
    Scenario scenario = job.scenario;
    for (std::size_t bucket = 0; bucket < choice.candidates.size(); ++bucket) {
      for (const BucketCandidate& candidate : job.candidates) {
        scenario.compression = choice.compression;
        scenario.compression.bucket_schemes[bucket] = candidate.scheme;
        scenario.compression.buckets[bucket] = candidate.costs[bucket];
        EXPECT_GE(recurrence_time(scenario), choice.time - Seconds{3e-9}) << "seed " << seed;
      }
    }
  }
}

TEST(BucketChoice, IsFoundForTheShippedTraceWithTheProfilesCosts) {
  WorkloadSource source;
  source.trace =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces/data/v100-resnet50-b32/trace.gwt";
  Scenario scenario;
  scenario.workload = read_workload(source, {});
  scenario.cluster = test::mixed_cluster(24, 4);
  scenario.workers = 64;
  const std::size_t buckets = make_buckets(scenario.workload->gradients, scenario.caps).size();
  std::vector<BucketCandidate> candidates = {{nullptr, std::vector<BucketCost>(buckets)}};
  for (const char* scheme : {"powersgd:rank=4,hook_sync=false", "signsgd", "qsgd:bits=4"}) {
    const Compression compression =
        choose_compressor(scheme, scenario, "Tesla V100", CompressionMode::kOverlapped, {})
            .compression;
    candidates.push_back({compression.scheme, compression.buckets});
  }
  const BucketChoice choice = find_bucket_choice(scenario, candidates);
  EXPECT_TRUE(choice.exact);
  EXPECT_LT(choice.time, choice.uniform_time);
}

}  // namespace
}  // namespace gradwire
