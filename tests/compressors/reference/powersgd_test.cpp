#include <gtest/gtest.h>

#include <cmath>

#include "compressors/reference/factor.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

/// A rows x columns matrix of rank `rank`, row by row.
std::vector<float> low_rank_matrix(std::size_t rows, std::size_t columns, std::size_t rank,
                                   std::uint64_t seed) {
  Factor left(rows, rank);
  Factor right(columns, rank);
  left.values = test::normal_vector(rows * rank, seed);
  right.values = test::normal_vector(columns * rank, seed + 1);
  return outer_product(left, right);
}

double relative_distance(const std::vector<float>& one, const std::vector<float>& other) {
  return std::sqrt(test::squared_distance(one, other) / test::squared_length(other));
}

// P spans the columns of a matrix whose rank is at most PowerSGD's, so that P P^T M is M up to the
// rounding of float32: 6e-8 an operation, here a few in a row.
TEST(PowerSgdReference, IsExactOnMatricesOfItsRankAndBelow) {
  for (const std::size_t rank : {1UL, 2UL, 3UL}) {
    const std::vector<float> matrix = low_rank_matrix(20, 12, rank, 10 * rank);
    std::vector<RankReference> job = test::make_job("powersgd:rank=3", {{{20, 12}}}, 1);
    EXPECT_LT(relative_distance(exchange_gradients(job, {matrix}).front(), matrix), 1e-5) << rank;
  }
}

TEST(PowerSgdReference, IsExactWhereTheRankIsTheSmallerExtent) {
  const std::vector<float> matrix = test::normal_vector(60, 1);
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{3, 20}, {20, 3}, {3, 4, 5}, {1, 60}, {60, 1}}) {
    std::vector<RankReference> job = test::make_job("powersgd:rank=4", {{shape}}, 1);
    EXPECT_LT(relative_distance(exchange_gradients(job, {matrix}).front(), matrix), 1e-5)
        << shape.front();
  }
}

// What is received is the projection of M to the columns of P: at a right angle to what is left.
TEST(PowerSgdReference, ProjectsOnAFewDirections) {
  const std::vector<float> matrix = test::normal_vector(600, 2);
  std::vector<RankReference> job = test::make_job("powersgd:rank=2", {{{30, 20}}}, 1);
  const std::vector<float> received = exchange_gradients(job, {matrix}).front();
  const std::span<const float> left = job.front().reference->memory();
  const double squared = test::squared_length(matrix);
  EXPECT_NEAR(test::squared_length(received) + test::squared_length({left.begin(), left.end()}),
              squared, 1e-5 * squared);
  EXPECT_GT(test::squared_length(received), 0.02 * squared);
  // Rank 2: the received matrix has no third independent column.
  Factor columns(30, 20);
  columns.values = received;
  EXPECT_EQ(orthonormalise(columns).size(), 18U);
}

// Ranks with the same gradient: P is p times as long, which orthonormalising takes away, and Q is
// divided by p. Sums of float32 differ in their rounding alone.
TEST(PowerSgdReference, IsTheSameForAnyNumberOfRanksWithTheSameGradient) {
  const std::vector<TensorShape> shapes = {{{16, 11}}, {{9}}};
  std::vector<RankReference> alone = test::make_job("powersgd:rank=2", shapes, 1);
  std::vector<RankReference> three = test::make_job("powersgd:rank=2", shapes, 3);
  std::vector<RankReference> eight = test::make_job("powersgd:rank=2", shapes, 8);
  for (std::uint64_t iteration = 0; iteration < 5; ++iteration) {
    const std::vector<float> gradient = test::normal_vector(185, iteration);
    const std::vector<float> expected = exchange_gradients(alone, {gradient}).front();
    for (std::vector<RankReference>* job : {&three, &eight}) {
      const std::vector<std::vector<float>> gradients(job->size(), gradient);
      EXPECT_LT(relative_distance(exchange_gradients(*job, gradients).front(), expected), 1e-4)
          << iteration;
    }
  }
}

// The scheme is linear in the matrices of the ranks: their average goes in.
TEST(PowerSgdReference, CompressesTheAverageOfTheRanks) {
  const std::vector<float> one = test::integer_vector(80, 8, 1);
  const std::vector<float> other = test::integer_vector(80, 8, 2);
  std::vector<float> average(80);
  for (std::size_t i = 0; i < 80; ++i) average[i] = (one[i] + other[i]) / 2.0F;
  std::vector<RankReference> two = test::make_job("powersgd:rank=2", {{{10, 8}}}, 2);
  std::vector<RankReference> alone = test::make_job("powersgd:rank=2", {{{10, 8}}}, 1);
  EXPECT_LT(relative_distance(exchange_gradients(two, {one, other}).front(),
                              exchange_gradients(alone, {average}).front()),
            1e-5);
}

TEST(PowerSgdReference, LeavesTensorsThatItDoesNotCompressAsTheyAre) {
  // A vector, a scalar and, at min_compression_rate=2, a matrix that would not shrink enough.
  const std::vector<TensorShape> shapes = {{{5}}, {{20, 20}}, {}, {{2, 3}}};
  std::vector<RankReference> job =
      test::make_job("powersgd:rank=1,min_compression_rate=2", shapes, 2);
  const std::vector<float> one = test::integer_vector(412, 8, 1);
  const std::vector<float> other = test::integer_vector(412, 8, 2);
  const std::vector<float> averaged = exchange_gradients(job, {one, other}).front();
  const std::span<const float> memory = job.front().reference->memory();
  for (std::size_t i = 0; i < 412; ++i) {
    const bool compressed = i >= 5 && i < 405;
    if (compressed) continue;
    EXPECT_EQ(averaged[i], (one[i] + other[i]) / 2.0F) << i;
    EXPECT_EQ(memory[i], 0.0F) << i;
  }
}

// Each exchange is one power iteration on the same matrix: of the singular values 8 and 1 the share
// of the smaller falls by (1 / 8)^2 each time, in six times by 64^6 = 7e10.
TEST(PowerSgdReference, KeepsItsFactorFromOneExchangeToTheNext) {
  std::vector<RankReference> job = test::make_job("powersgd:rank=1", {{{2, 2}}}, 1);
  const std::vector<float> matrix = {8, 0, 0, 1};
  std::vector<double> distances;  // from the best matrix of rank 1
  for (int iteration = 0; iteration < 6; ++iteration) {
    const std::span<const float> memory = job.front().reference->memory();
    std::vector<float> gradient = matrix;
    for (std::size_t i = 0; i < 4; ++i) gradient[i] -= memory[i];
    distances.push_back(
        relative_distance(exchange_gradients(job, {gradient}).front(), {8, 0, 0, 0}));
  }
  EXPECT_GT(distances.front(), 1e-3);
  EXPECT_LT(distances.back(), 1e-6);
}

// A zero gradient makes P and Q zero; what follows must not find Q zero for ever.
TEST(PowerSgdReference, RecoversFromAZeroGradientAndFromALowerRank) {
  const std::vector<float> full = low_rank_matrix(20, 12, 3, 7);
  for (const std::vector<float>& before :
       {std::vector<float>(240), low_rank_matrix(20, 12, 1, 3)}) {
    std::vector<RankReference> job = test::make_job("powersgd:rank=3", {{{20, 12}}}, 2);
    exchange_gradients(job, {before, before});
    EXPECT_LT(relative_distance(exchange_gradients(job, {full, full}).front(), full), 1e-4);
  }
}

}  // namespace
}  // namespace gradwire
