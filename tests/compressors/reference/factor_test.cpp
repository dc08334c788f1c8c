#include "compressors/reference/factor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

Factor factor_of(std::size_t rows, std::size_t columns, std::vector<float> values) {
  Factor factor(rows, columns);
  factor.values = std::move(values);
  return factor;
}

double column_product(const Factor& factor, std::size_t one, std::size_t other) {
  double sum = 0.0;
  for (std::size_t row = 0; row < factor.rows; ++row) {
    sum += static_cast<double>(factor.at(row, one)) * static_cast<double>(factor.at(row, other));
  }
  return sum;
}

// Elements are rounded to float32, by 2^-25 relative to at most 1, and 40 products are summed.
TEST(Orthonormalise, MakesColumnsOfLengthOneAtRightAngles) {
  Factor factor = factor_of(40, 6, test::normal_vector(240, 1));
  EXPECT_TRUE(orthonormalise(factor).empty());
  for (std::size_t one = 0; one < 6; ++one) {
    for (std::size_t other = 0; other < 6; ++other) {
      EXPECT_NEAR(column_product(factor, one, other), one == other ? 1.0 : 0.0, 1e-6);
    }
  }
}

TEST(Orthonormalise, KeepsTheDirectionOfTheFirstColumn) {
  Factor factor = factor_of(2, 2, {3, 1, 4, 0});
  orthonormalise(factor);
  // (1, 0) less its 0.6 along (0.6, 0.8) is (0.64, -0.48): (0.8, -0.6).
  EXPECT_EQ(factor.values, (std::vector<float>{0.6F, 0.8F, 0.8F, -0.6F}));
}

TEST(Orthonormalise, MakesDependentColumnsZeroAndNamesThem) {
  // Column 1 is twice column 0, column 2 zero, column 3 new, column 4 the sum of 0 and 3.
  Factor factor = factor_of(3, 5,
                            {1, 2, 0, 0, 1,  //
                             1, 2, 0, 1, 2,  //
                             0, 0, 0, 1, 1});
  EXPECT_EQ(orthonormalise(factor), (std::vector<std::size_t>{1, 2, 4}));
  for (const std::size_t column : {1UL, 2UL, 4UL}) {
    EXPECT_EQ(column_product(factor, column, column), 0.0);
  }
  EXPECT_NEAR(column_product(factor, 3, 3), 1.0, 1e-6);
}

TEST(Orthonormalise, TakesColumnsOfTheSmallestAndLargestFloats) {
  Factor factor = factor_of(2, 2, {1e-45F, 3e38F, 0, 3e38F});
  EXPECT_TRUE(orthonormalise(factor).empty());
  EXPECT_EQ(factor.values, (std::vector<float>{1, 0, 0, 1}));
}

TEST(Products, AreThoseOfMatrices) {
  const std::vector<float> matrix = {1, 2, 3,  //
                                     4, 5, 6};
  EXPECT_EQ(product(matrix, 2, factor_of(3, 2, {1, 0, 0, 1, 1, 1})).values,
            (std::vector<float>{4, 5, 10, 11}));
  EXPECT_EQ(transposed_product(matrix, 3, factor_of(2, 1, {1, 2})).values,
            (std::vector<float>{9, 12, 15}));
  EXPECT_EQ(outer_product(factor_of(2, 1, {1, 2}), factor_of(3, 1, {3, 4, 5})),
            (std::vector<float>{3, 4, 5, 6, 8, 10}));
}

}  // namespace
}  // namespace gradwire
