#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gradwire {

/// A thin matrix, row by row: a factor of a low-rank approximation.
struct Factor {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  ///< rows x columns

  Factor() = default;
  Factor(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  float& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  float at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  bool is_finite() const;
};

/// Makes the columns orthonormal from the first to the last by the modified Gram-Schmidt method, as
/// `_orthogonalize_gram_schmidt` of PyTorch's powerSGD_hook does, here in double: each column is
/// normalised and then taken out of those behind it. A column of which less than 1e-6 of its length
/// is left when its turn comes depends on those in front and becomes zero: what is left is the
/// rounding of float32 (PyTorch would normalise that). Gives the numbers of these columns.
std::vector<std::size_t> orthonormalise(Factor& factor);

/// `matrix` (rows x columns, row by row) times `right` (columns x r): rows x r. Summed in double.
Factor product(std::span<const float> matrix, std::size_t rows, const Factor& right);

/// The transpose of `matrix` (rows x columns, row by row) times `left` (rows x r): columns x r.
/// Summed in double.
Factor transposed_product(std::span<const float> matrix, std::size_t columns, const Factor& left);

/// `left` (rows x r) times the transpose of `right` (columns x r): rows x columns, row by row.
/// Summed in double.
std::vector<float> outer_product(const Factor& left, const Factor& right);

}  // namespace gradwire
