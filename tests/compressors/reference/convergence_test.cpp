#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

using Point = std::vector<double>;
/// A rank's gradient at a point.
using Gradient = std::function<std::vector<float>(int rank, const Point& at)>;

/// x after `iterations` of x -= rate(iteration) * exchanged gradient, from `start`; `watch` sees
/// each.
Point descend(std::string_view spelling, const std::vector<TensorShape>& shapes, int ranks,
              Point start, int iterations, const Gradient& gradient,
              const std::function<double(int)>& rate,
              const std::function<void(Point&)>& watch = nullptr) {
  std::vector<RankReference> job = test::make_job(spelling, shapes, ranks);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<std::vector<float>> gradients;
    for (int rank = 0; rank < ranks; ++rank) gradients.push_back(gradient(rank, start));
    const std::vector<float> averaged = exchange_gradients(job, gradients).front();
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] -= rate(iteration) * static_cast<double>(averaged[i]);
    }
    if (watch) watch(start);
  }
  return start;
}

std::function<double(int)> constant(double rate) {
  return [rate](int) { return rate; };
}

/// Least squares: rank r has 1/2 |A_r (x - x*)|^2 with 100 normal rows over 20 unknowns, divided by
/// sqrt(100). The eigenvalues of A_r^T A_r lie around (1 +- sqrt(20 / 100))^2: 0.3 to 2.1.
class LeastSquares {
 public:
  static constexpr std::size_t kUnknowns = 20;
  static constexpr std::size_t kRows = 100;
  static constexpr int kRanks = 4;

  LeastSquares() : solution_(test::normal_vector(kUnknowns, 500)) {
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
      rows_.push_back(test::normal_vector(kRows * kUnknowns, 600 + rank));
      for (float& value : rows_.back()) value /= std::sqrt(static_cast<float>(kRows));
    }
  }

  std::vector<float> gradient(int rank, const Point& at) const {
    const std::vector<float>& rows = rows_[static_cast<std::size_t>(rank)];
    Point sum(kUnknowns);
    for (std::size_t row = 0; row < kRows; ++row) {
      const double left = residual(rows, row, at);
      for (std::size_t i = 0; i < kUnknowns; ++i) {
        sum[i] += left * static_cast<double>(rows[row * kUnknowns + i]);
      }
    }
    return {sum.begin(), sum.end()};
  }

  double loss(const Point& at) const {
    double sum = 0.0;
    for (const std::vector<float>& rows : rows_) {
      for (std::size_t row = 0; row < kRows; ++row) sum += std::pow(residual(rows, row, at), 2);
    }
    return sum / (2 * kRanks);
  }

 private:
  double residual(const std::vector<float>& rows, std::size_t row, const Point& at) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      sum += static_cast<double>(rows[row * kUnknowns + i]) *
             (at[i] - static_cast<double>(solution_[i]));
    }
    return sum;
  }

  std::vector<float> solution_;
  std::vector<std::vector<float>> rows_;  // by rank: kRows x kUnknowns
};

// Uncompressed, 1500 iterations at 0.05 shrink the distance by (1 - 0.05 x 0.3)^1500 = 1e-10. The
// schemes slow that down by their contraction (topk at 10 %: ten times longer until an element's
// turn) and leave six orders of magnitude of the loss for it.
TEST(LeastSquares, ConvergesWithEverySchemeThatAverages) {
  const LeastSquares problem;
  const Point start(LeastSquares::kUnknowns);
  for (const char* spelling :
       {"none", "fp16", "bf16", "powersgd:rank=1", "ef-signsgd", "mstopk:fraction=0.2",
        "topk:fraction=0.1", "randomk:fraction=0.2", "randomk:fraction=0.2,shared_seed=false",
        "qsgd:bits=2,bucket=10", "qsgd"}) {
    const Point end = descend(
        spelling, {{{4, 5}}}, LeastSquares::kRanks, start, 1500,
        [&](int rank, const Point& at) { return problem.gradient(rank, at); }, constant(0.05));
    EXPECT_LT(problem.loss(end), 1e-6 * problem.loss(start)) << spelling;
  }
}

// A vote has no length: the rate has to fall, here to nothing, and the distance with it.
TEST(LeastSquares, ConvergesUnderMajorityVoteWithAFallingRate) {
  const LeastSquares problem;
  const Point start(LeastSquares::kUnknowns);
  const auto gradient = [&](int rank, const Point& at) { return problem.gradient(rank, at); };
  const Point end = descend("signsgd", {{{20}}}, LeastSquares::kRanks, start, 1500, gradient,
                            [](int iteration) { return 0.01 * (1.0 - iteration / 1500.0); });
  EXPECT_LT(problem.loss(end), 1e-6 * problem.loss(start));
  const Point constant_end =
      descend("signsgd", {{{20}}}, LeastSquares::kRanks, start, 1500, gradient, constant(0.01));
  EXPECT_GT(problem.loss(constant_end), 1e-6 * problem.loss(start));
}

// Rank r has 1/2 |x - 1|^2 +- 10 x_0: the large parts cancel, but each rank's largest element is
// always the first. Without memory the others are never sent. With it they are when they have added
// up to 10, and each time move by the rate times about 10.
TEST(Selections, NeedTheMemoryWhereTheRanksDisagree) {
  const Gradient gradient = [](int rank, const Point& at) {
    std::vector<float> own;
    for (const double x : at) own.push_back(static_cast<float>(x - 1.0));
    own[0] += rank == 0 ? 10.0F : -10.0F;
    return own;
  };
  const auto descended = [&](const char* spelling) {
    return descend(spelling, {{{4}}}, 2, Point(4), 20'000, gradient, constant(0.001));
  };
  const Point remembering = descended("topk:fraction=0.25");
  const Point forgetting = descended("mstopk:fraction=0.25");
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(remembering[i], 1.0, 0.05);
    EXPECT_EQ(forgetting[i], 0.0);
  }
}

// Karimireddy et al., arXiv 1901.09847, section 3, counterexample 1: x / 4 on [-1, 1], whose
// gradient is 4 with the probability 1 / 4, else -1. The sign's mean is -1 / 2: signSGD goes up, to
// 1, where x / 4 is largest. In one dimension the scaled sign is the gradient, and EF-signSGD is
// SGD.
TEST(SignSgdCounterexample, OfRareLargeGradientsIsFixedByErrorFeedback) {
  const auto descended = [](const char* spelling) {
    test::Random random(9, 0);
    return descend(
        spelling, {{{1}}}, 1, {0.0}, 10'000,
        [&random](int, const Point&) {
          return std::vector<float>{random.below(4) == 0 ? 4.0F : -1.0F};
        },
        constant(0.001), [](Point& at) { at[0] = std::clamp(at[0], -1.0, 1.0); })[0];
  };
  EXPECT_GT(descended("signsgd"), 0.9);
  EXPECT_LT(descended("ef-signsgd"), -0.9);
}

// The same, counterexample 2: e |x_0 + x_1| + |x_0 - x_1|, from (1, 1). The sign of every
// subgradient is (1, -1) or (-1, 1), so that x_0 + x_1 stays 2 and the value never falls below 2 e;
// the least value is 0.
TEST(SignSgdCounterexample, OfADirectionThatNoSignHasIsFixedByErrorFeedback) {
  constexpr double kE = 0.5;
  const auto value = [](const Point& x) {
    return kE * std::fabs(x[0] + x[1]) + std::fabs(x[0] - x[1]);
  };
  const Gradient subgradient = [](int, const Point& x) {
    const double along = x[0] + x[1] < 0.0 ? -kE : kE;
    const double across = x[0] - x[1] < 0.0 ? -1.0 : 1.0;
    return std::vector<float>{static_cast<float>(along + across),
                              static_cast<float>(along - across)};
  };
  double least = value({1.0, 1.0});
  descend("signsgd", {{{2}}}, 1, {1.0, 1.0}, 10'000, subgradient, constant(0.001),
          [&](Point& x) { least = std::min(least, value(x)); });
  EXPECT_GT(least, 2 * kE - 1e-9);
  const Point end =
      descend("ef-signsgd", {{{2}}}, 1, {1.0, 1.0}, 10'000, subgradient, constant(0.001));
  EXPECT_LT(value(end), 0.02);
}

}  // namespace
}  // namespace gradwire
