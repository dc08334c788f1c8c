#include "simulator/accuracy/scheme_accuracy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "compressors/reference/reference.hpp"
#include "compressors/reference/reference_registry.hpp"
#include "tests/simulator/accuracy/recorded.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

SchemeAccuracy measure(const RecordedGradients& gradients, std::string_view spelling) {
  return measure_accuracy(gradients, spelling, kSeed);
}

/// `ranks` ranks' standard normal gradients of `elements` elements, other ones every iteration.
test::GradientsByIteration normal_gradients(int iterations, int ranks, int elements) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  test::GradientsByIteration gradients;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    auto& all_ranks = gradients.emplace_back(static_cast<std::size_t>(ranks));
    for (std::vector<float>& own : all_ranks) {
      for (int i = 0; i < elements; ++i) own.push_back(normal(random));
    }
  }
  return gradients;
}

double norm(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

TEST(MeasureAccuracy, OfTopKIsWhatTheDefinitionGives) {
  // Rank 0 sends 4 of (3, 4), rank 1 sends 2 of (1, 2): result (0, 3), average (2, 3).
  const SchemeAccuracy accuracy =
      measure(test::recorded_vector({{{3, 4}, {1, 2}}}), "topk:fraction=0.5");
  ASSERT_EQ(accuracy.exchanges.size(), 1U);
  EXPECT_DOUBLE_EQ(accuracy.exchanges[0].relative_error.value(), 2 / std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(accuracy.exchanges[0].cosine.value(), 9 / (3 * std::sqrt(13.0)));
  EXPECT_DOUBLE_EQ(accuracy.sum.relative_error.value(), 2 / std::sqrt(13.0));
  EXPECT_EQ(accuracy.scheme, "topk:fraction=0.5,index_bytes=4");
  EXPECT_EQ(accuracy.payload, Bytes{8});
  EXPECT_EQ(accuracy.wire, Bytes{8});  // one value of 4 bytes and one index of 4
  EXPECT_EQ(accuracy.wire_ratio(), 1.0);
  EXPECT_TRUE(accuracy.error_memory);
}

TEST(MeasureAccuracy, CarriesTheMemoryFromOneIterationToTheNext) {
  // One rank. First (4, 3) is sent as (4, 0); then (0, 0.5) + memory (0, 3) as (0, 3.5): an error
  // of 3 against 0.5 in its iteration, and none in the sum.
  const SchemeAccuracy accuracy =
      measure(test::recorded_vector({{{4, 3}}, {{0, 0.5F}}}), "topk:fraction=0.5");
  EXPECT_DOUBLE_EQ(accuracy.exchanges[0].relative_error.value(), 0.6);
  EXPECT_DOUBLE_EQ(accuracy.exchanges[1].relative_error.value(), 6.0);
  EXPECT_DOUBLE_EQ(accuracy.sum.relative_error.value(), 0.0);
  EXPECT_DOUBLE_EQ(accuracy.sum.cosine.value(), 1.0);
}

TEST(MeasureAccuracy, OwesInTheSumWhatTheMemoriesHoldAtTheEnd) {
  // What an error memory starts with (nothing), gets and gives: the results sum to the averages
  // less the average of the last memories.
  constexpr int kRanks = 3;
  const test::GradientsByIteration gradients = normal_gradients(5, kRanks, 24);
  const std::vector<TensorShape> shapes = {{{4, 4}}, {{2, 4}}};
  for (const char* spelling :
       {"topk:fraction=0.2", "randomk:fraction=0.2", "ef-signsgd", "powersgd:rank=1"}) {
    std::vector<RankReference> job;
    for (int rank = 0; rank < kRanks; ++rank) {
      job.push_back(make_reference(spelling, shapes, kSeed, rank));
    }
    std::vector<double> sum(24);
    for (const auto& all_ranks : gradients) {
      exchange_gradients(job, all_ranks);
      for (const auto& own : all_ranks) {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(own[i]) / kRanks;
      }
    }
    std::vector<double> owed(24);
    for (const RankReference& rank : job) {
      for (std::size_t i = 0; i < owed.size(); ++i) {
        owed[i] += static_cast<double>(rank.reference->memory()[i]) / kRanks;
      }
    }
    const SchemeAccuracy accuracy = measure(test::recorded(shapes, gradients), spelling);
    EXPECT_NEAR(accuracy.sum.relative_error.value(), norm(owed) / norm(sum), 1e-6) << spelling;
    EXPECT_GT(accuracy.sum.relative_error.value(), 0.01) << spelling;
  }
}

TEST(MeasureAccuracy, SeesOneElementInAThousandLost) {
  std::vector<float> ones(1000, 1.0F);
  const SchemeAccuracy accuracy = measure(test::recorded_vector({{ones}}), "topk:fraction=0.999");
  EXPECT_DOUBLE_EQ(accuracy.exchanges[0].relative_error.value(), std::sqrt(1.0 / 1000));
}

TEST(MeasureAccuracy, OfAVoteHasACosineAndNoRelativeError) {
  // Votes (1, 1) against an average of (3, 1).
  const SchemeAccuracy accuracy = measure(test::recorded_vector({{{3, 1}}}), "signsgd");
  EXPECT_FALSE(accuracy.gives_average);
  EXPECT_FALSE(accuracy.exchanges[0].relative_error);
  EXPECT_FALSE(accuracy.sum.relative_error);
  EXPECT_FALSE(accuracy.relative_errors());
  EXPECT_DOUBLE_EQ(accuracy.exchanges[0].cosine.value(), 4 / std::sqrt(20.0));
  EXPECT_DOUBLE_EQ(accuracy.sum.cosine.value(), 4 / std::sqrt(20.0));
}

TEST(MeasureAccuracy, OfFp16IsWithinItsRounding) {
  // Two ranks of normal float16 values: halved exactly, added with a relative error of 2^-11 at
  // most an element; the cast before adds as much.
  const SchemeAccuracy accuracy =
      measure(test::recorded_vector(normal_gradients(3, 2, 500)), "fp16");
  for (const ExchangeError& exchange : accuracy.exchanges) {
    EXPECT_LT(exchange.relative_error.value(), 0x1p-10);
    EXPECT_GT(exchange.relative_error.value(), 0x1p-14);
  }
}

TEST(MeasureAccuracy, OfAZeroAverageIsNotDefined) {
  const SchemeAccuracy accuracy =
      measure(test::recorded_vector({{{1, 2}, {-1, -2}}, {{1, 2}, {1, 2}}}), "none");
  EXPECT_FALSE(accuracy.exchanges[0].relative_error);
  EXPECT_FALSE(accuracy.exchanges[0].cosine);
  EXPECT_EQ(accuracy.exchanges[1].relative_error, 0.0);
  EXPECT_EQ(accuracy.sum.relative_error, 0.0);
  EXPECT_EQ(accuracy.measured_iterations, 2);
}

TEST(MeasureAccuracy, OfAZeroResultIsOneWithoutADirection) {
  // 1e-8 is below float16's smallest.
  const SchemeAccuracy accuracy = measure(test::recorded_vector({{{1e-8F}}}), "fp16");
  EXPECT_EQ(accuracy.exchanges[0].relative_error, 1.0);
  EXPECT_FALSE(accuracy.exchanges[0].cosine);
}

TEST(MeasureAccuracy, LeavesOutIterationsThatAreNotFinite) {
  const SchemeAccuracy accuracy =
      measure(test::recorded_vector({{{1, 2}}, {{kNan, 2}}, {{3, 4}}}), "none");
  EXPECT_EQ(accuracy.exchanges[0].relative_error, 0.0);
  EXPECT_FALSE(accuracy.exchanges[1].relative_error);
  EXPECT_FALSE(accuracy.exchanges[1].cosine);
  EXPECT_EQ(accuracy.exchanges[2].relative_error, 0.0);
  EXPECT_EQ(accuracy.measured_iterations, 2);
  EXPECT_EQ(accuracy.broken_results, 0);
  EXPECT_FALSE(accuracy.sum.relative_error);
  EXPECT_FALSE(accuracy.sum.cosine);
  EXPECT_EQ(accuracy.relative_errors()->worst, 0.0);
}

TEST(MeasureAccuracy, CountsResultsThatTheSchemeBroke) {
  const SchemeAccuracy accuracy =
      measure(test::recorded_vector({{{1, 1e6F}}, {{1, 2}}}), "fp16");  // beyond 65504
  EXPECT_EQ(accuracy.broken_results, 1);
  EXPECT_EQ(accuracy.measured_iterations, 1);
  EXPECT_FALSE(accuracy.exchanges[0].cosine);
  EXPECT_EQ(accuracy.exchanges[1].relative_error, 0.0);
  EXPECT_FALSE(accuracy.sum.relative_error);
}

TEST(MeasureAccuracy, DependsOnTheSeedOnlyWhereSomethingIsDrawn) {
  const RecordedGradients gradients = test::recorded_vector(normal_gradients(2, 2, 64));
  const auto median = [&](const char* spelling, std::uint64_t seed) {
    return measure_accuracy(gradients, spelling, seed).relative_errors()->median;
  };
  EXPECT_EQ(median("qsgd", 1), median("qsgd", 1));
  EXPECT_NE(median("qsgd", 1), median("qsgd", 2));
  EXPECT_EQ(median("topk", 1), median("topk", 2));
}

TEST(MeasureAccuracy, TellsAfterEachExchange) {
  int told = 0;
  measure_accuracy(test::recorded_vector(normal_gradients(3, 1, 4)), "none", kSeed,
                   [&told] { ++told; });
  EXPECT_EQ(told, 3);
}

TEST(FigureSpread, IsOverTheFiguresThatAreThere) {
  SchemeAccuracy accuracy;
  EXPECT_FALSE(accuracy.relative_errors());
  EXPECT_FALSE(accuracy.cosines());
  accuracy.exchanges = {{0.4, 0.9}, {}, {0.1, 0.5}, {0.2, {}}};
  EXPECT_EQ(accuracy.relative_errors()->median, 0.2);
  EXPECT_EQ(accuracy.relative_errors()->worst, 0.4);
  EXPECT_DOUBLE_EQ(accuracy.cosines()->median, 0.7);
  EXPECT_EQ(accuracy.cosines()->worst, 0.5);
}

TEST(UsualCompressors, AreMeasurableAndLeaveNoReferenceOut) {
  std::set<std::string> names;
  for (const std::string& spelling : usual_compressors()) {
    EXPECT_NO_THROW(check_measurable(spelling)) << spelling;
    names.insert(spelling.substr(0, spelling.find(':')));
  }
  EXPECT_EQ(names.size(), references().size());
}

TEST(CheckMeasurable, RefusesUnknownSchemesAndParameters) {
  EXPECT_THAT(test::input_error_of([] { check_measurable("zip"); }),
              testing::HasSubstr("\"zip\" is no known scheme"));
  EXPECT_THAT(test::input_error_of([] { check_measurable("topk:rank=2"); }),
              testing::HasSubstr("rank"));
}

}  // namespace
}  // namespace gradwire
