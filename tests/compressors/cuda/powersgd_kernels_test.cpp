// PowerSGD's kernels against the reference: near it, by the relative Frobenius error. Built for the
// host and, with CUDA, for a GPU.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/compressors/cuda/kernel_job.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

/// Sums of up to `n` products in float32 against double: about sqrt(n) roundings of 2^-24, and some
/// more in Gram-Schmidt, whose columns are nearly independent here.
constexpr double kTolerance = 2e-5;

/// No matrix has a side between the ranks tested and twice them: what one exchange leaves of it
/// would have fewer directions than columns, and those left over would be rounding errors.
const std::vector<TensorShape> kShapes = {{{8, 3, 3, 3}}, {{8}},      {{70, 130}}, {{3}},
                                          {{2, 5}},       {{64, 64}}, {{1, 7}},    {{300, 20}}};

double relative_error(const std::vector<float>& values, const std::vector<float>& expected) {
  const double length = test::squared_length(expected);
  return std::sqrt(test::squared_distance(values, expected) / (length > 0.0 ? length : 1.0));
}

class PowerSgdKernels : public testing::TestWithParam<std::tuple<const char*, int, KernelDesign>> {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no GPU";
  }

  static std::string spelling() { return std::get<0>(GetParam()); }
  static int ranks() { return std::get<1>(GetParam()); }
  static KernelDesign design() { return std::get<2>(GetParam()); }
};

TEST_P(PowerSgdKernels, StayNearTheReferenceExchangeAfterExchange) {
  std::vector<RankReference> references = test::make_job(spelling(), kShapes, ranks());
  test::KernelJob kernels(spelling(), kShapes, ranks(), test::kSeed, design());
  const auto elements = static_cast<std::size_t>(total_elements(kShapes).count());
  std::uint64_t seed = 0;
  for (int exchange = 0; exchange < 4; ++exchange) {
    std::vector<std::vector<float>> gradients;
    for (int rank = 0; rank < ranks(); ++rank) {
      gradients.push_back(test::normal_vector(elements, ++seed));
    }
    const test::KernelExchange by_kernels = kernels.exchange(gradients);
    const std::vector<std::vector<float>> expected = exchange_gradients(references, gradients);
    for (std::size_t rank = 0; rank < gradients.size(); ++rank) {
      EXPECT_LT(relative_error(by_kernels.averaged[rank], expected[rank]), kTolerance);
      EXPECT_EQ(by_kernels.averaged[rank], by_kernels.averaged[0]);
      const std::span<const float> memory = references[rank].reference->memory();
      EXPECT_LT(relative_error(kernels.memory(rank), {memory.begin(), memory.end()}), kTolerance);
    }
  }
}

// An all-zero gradient leaves dependent columns, which are drawn anew: the same on both sides.
TEST_P(PowerSgdKernels, DrawLostColumnsAsTheReferenceDoes) {
  if (design() == KernelDesign::kStudy) GTEST_SKIP() << "the study's code has no such rule";
  std::vector<RankReference> references = test::make_job(spelling(), kShapes, ranks());
  test::KernelJob kernels(spelling(), kShapes, ranks(), test::kSeed, design());
  const auto elements = static_cast<std::size_t>(total_elements(kShapes).count());
  for (const bool zero : {true, false, true, false}) {
    std::vector<std::vector<float>> gradients(
        static_cast<std::size_t>(ranks()),
        zero ? std::vector<float>(elements) : test::normal_vector(elements, 5));
    const test::KernelExchange by_kernels = kernels.exchange(gradients);
    const std::vector<std::vector<float>> expected = exchange_gradients(references, gradients);
    EXPECT_LT(relative_error(by_kernels.averaged[0], expected[0]), kTolerance);
  }
}

TEST_P(PowerSgdKernels, MakeAMatrixNanOnceAsTheReferenceDoes) {
  if (design() == KernelDesign::kStudy) GTEST_SKIP() << "the study's code has no such rule";
  test::KernelJob kernels(spelling(), {{{4, 6}}, {{3, 3}}}, ranks(), test::kSeed, design());
  std::vector<RankReference> references = test::make_job(spelling(), {{{4, 6}}, {{3, 3}}}, ranks());
  std::vector<std::vector<float>> gradients(static_cast<std::size_t>(ranks()),
                                            test::normal_vector(33, 5));
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1.0F}) {
    gradients[0][7] = special;
    const test::KernelExchange by_kernels = kernels.exchange(gradients);
    const std::vector<std::vector<float>> expected = exchange_gradients(references, gradients);
    for (std::size_t i = 0; i < 33; ++i) {
      const float averaged = by_kernels.averaged[0][i];
      EXPECT_EQ(std::isnan(averaged), std::isnan(expected[0][i]));
      if (std::isfinite(averaged)) {
        EXPECT_NEAR(averaged, expected[0][i], 1e-4);
      }
    }
    EXPECT_EQ(std::isfinite(by_kernels.averaged[0][7]), special == 1.0F);
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfBothDesigns, PowerSgdKernels,
    testing::Combine(testing::Values("powersgd:rank=1", "powersgd:rank=4",
                                     "powersgd:rank=4,min_compression_rate=2", "powersgd:rank=10"),
                     testing::Values(1, 2, 4),
                     testing::Values(KernelDesign::kFused, KernelDesign::kStudy)));

}  // namespace
}  // namespace gradwire
