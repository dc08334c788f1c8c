#include "compressors/cuda/factor_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compressors/reference/factor.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

class FactorKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no GPU";
  }
};

std::vector<float> orthonormalised(const Factor& factor) {
  const DeviceArray<float> values(factor.values);
  const DeviceArray<DeviceFactor> factors(std::vector<DeviceFactor>{
      {values.get(), static_cast<std::int64_t>(factor.rows), static_cast<int>(factor.columns), 0}});
  orthonormalise_factors(factors.get(), 1, nullptr);
  return values.on_host();
}

TEST_F(FactorKernels, KeepAColumnThatIsNearlyDependentAndClearOneThatIs) {
  Factor factor(1000, 3);
  const std::vector<float> normal = test::normal_vector(2000, 7);
  for (std::size_t row = 0; row < factor.rows; ++row) {
    factor.at(row, 0) = normal[row];
    factor.at(row, 1) = normal[row] + 1e-4F * normal[1000 + row];
    factor.at(row, 2) = normal[row];
  }
  const std::vector<float> by_kernel = orthonormalised(factor);
  EXPECT_EQ(orthonormalise(factor), (std::vector<std::size_t>{2}));
  for (std::size_t row = 0; row < factor.rows; ++row) {
    EXPECT_NEAR(by_kernel[3 * row], factor.at(row, 0), 1e-6);
    // What is left of the second column is 1e-4 of it, known to 2^-24 / 1e-4.
    EXPECT_NEAR(by_kernel[3 * row + 1], factor.at(row, 1), 1e-3);
    EXPECT_EQ(by_kernel[3 * row + 2], 0.0F);
  }
}

TEST_F(FactorKernels, MakeTheMostColumnsOrthonormal) {
  Factor factor(500, kMaxFactorColumns);
  factor.values = test::normal_vector(factor.values.size(), 8);
  const std::vector<float> by_kernel = orthonormalised(factor);
  for (std::size_t one = 0; one < factor.columns; ++one) {
    for (std::size_t other = 0; other <= one; ++other) {
      double product = 0.0;
      for (std::size_t row = 0; row < factor.rows; ++row) {
        product += static_cast<double>(by_kernel[row * factor.columns + one]) *
                   static_cast<double>(by_kernel[row * factor.columns + other]);
      }
      EXPECT_NEAR(product, one == other ? 1.0 : 0.0, 1e-5);
    }
  }
}

TEST_F(FactorKernels, MakeAllNanWhereAnElementIsNotFinite) {
  Factor factor(40, 2);
  factor.values = test::normal_vector(80, 9);
  factor.at(17, 1) = std::numeric_limits<float>::infinity();
  for (const float value : orthonormalised(factor)) EXPECT_TRUE(std::isnan(value));
}

TEST_F(FactorKernels, DrawWhatTheReferenceDraws) {
  const DeviceArray<float> values(300);
  const DeviceArray<DeviceFactor> factors(std::vector<DeviceFactor>{{values.get(), 100, 3, 40}});
  const DeviceArray<std::uint32_t> draws(1);
  orthonormalise_or_draw_factors(factors.get(), 1, shared_key(5), draws.get(), nullptr);
  EXPECT_EQ(draws.on_host(), std::vector<std::uint32_t>{1});
  Factor factor(100, 3);
  for (std::size_t i = 0; i < 300; ++i) {
    factor.values[i] = static_cast<float>(random_normal(random_bits(shared_key(5), 0, 40 + i)));
  }
  EXPECT_TRUE(orthonormalise(factor).empty());
  const std::vector<float> drawn = values.on_host();
  for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(drawn[i], factor.values[i], 1e-6);
}

}  // namespace
}  // namespace gradwire
