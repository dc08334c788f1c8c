#include <cmath>

#include "compressors/cuda/factor_kernels.hpp"

#include "compressors/cuda/drawn_normal.hpp"
#include "compressors/cuda/element_kernels.hpp"

namespace gradwire {
namespace {

constexpr double kDependent = 1e-6;  // of a column's length, as in the reference

/// The products of column `column` with itself and those behind it, one pass over the rows.
GW_DEVICE void take_products(const DeviceFactor& factor, int column, double* products) {
  double own[kMaxFactorColumns] = {};
  for (std::int64_t row = thread_index(); row < factor.rows; row += kThreads) {
    const float* values = factor.values + row * factor.columns;
    for (int behind = column; behind < factor.columns; ++behind) {
      own[behind] += static_cast<double>(values[column]) * static_cast<double>(values[behind]);
    }
  }
  for (int behind = column; behind < factor.columns; ++behind) {
    products[behind] = block_sum(own[behind]);
  }
}

/// Modified Gram-Schmidt by the whole block; bit i of the result says that column i is dependent,
/// and became zero.
GW_DEVICE std::uint32_t orthonormalise_block(const DeviceFactor& factor) {
  double before[kMaxFactorColumns];  // squared lengths
  for (int column = 0; column < factor.columns; ++column) {
    double own = 0.0;
    for (std::int64_t row = thread_index(); row < factor.rows; row += kThreads) {
      const auto value = static_cast<double>(factor.values[row * factor.columns + column]);
      own += value * value;
    }
    before[column] = block_sum(own);
  }
  std::uint32_t dependent = 0;
  double products[kMaxFactorColumns] = {};
  for (int column = 0; column < factor.columns; ++column) {
    take_products(factor, column, products);
    const double left = products[column];
    const bool lost = !(left > kDependent * kDependent * before[column]);
    if (lost) dependent |= 1U << column;
    const double scale = lost ? 0.0 : 1.0 / sqrt(left);
    for (std::int64_t row = thread_index(); row < factor.rows; row += kThreads) {
      float* values = factor.values + row * factor.columns;
      const auto value = static_cast<double>(values[column]);
      values[column] = static_cast<float>(value * scale);
      if (lost) continue;
      for (int behind = column + 1; behind < factor.columns; ++behind) {
        const double share = products[behind] / left;
        values[behind] = static_cast<float>(static_cast<double>(values[behind]) - share * value);
      }
    }
    sync_block();
  }
  return dependent;
}

GW_DEVICE bool is_finite(const DeviceFactor& factor) {
  double wrong = 0.0;
  for (std::int64_t i = thread_index(); i < factor.rows * factor.columns; i += kThreads) {
    if (!(factor.values[i] - factor.values[i] == 0.0F)) wrong = 1.0;
  }
  return block_sum(wrong) == 0.0;
}

GW_KERNEL orthonormalise_all(const DeviceFactor* factors) {
  const DeviceFactor factor = factors[block_index()];
  if (is_finite(factor)) {
    orthonormalise_block(factor);
    return;
  }
  for (std::int64_t i = thread_index(); i < factor.rows * factor.columns; i += kThreads) {
    factor.values[i] = not_a_number();
  }
}

GW_KERNEL orthonormalise_or_draw_all(const DeviceFactor* factors, RandomKey key,
                                     std::uint32_t* draws) {
  const DeviceFactor factor = factors[block_index()];
  std::uint32_t drawn = draws[block_index()];
  std::uint32_t dependent = orthonormalise_block(factor);
  for (; dependent != 0; dependent = orthonormalise_block(factor)) {
    for (std::int64_t row = thread_index(); row < factor.rows; row += kThreads) {
      for (int column = 0; column < factor.columns; ++column) {
        if ((dependent >> column & 1) == 0) continue;
        const std::int64_t element = row * factor.columns + column;
        factor.values[element] = static_cast<float>(drawn_normal(
            random_bits(key, drawn, factor.first + static_cast<std::uint64_t>(element))));
      }
    }
    ++drawn;
    sync_block();
  }
  if (thread_index() == 0) draws[block_index()] = drawn;
}

}  // namespace

void orthonormalise_factors(const DeviceFactor* factors, std::int64_t count, Stream stream) {
  launch(orthonormalise_all, count, kThreads, stream, factors);
}

void orthonormalise_or_draw_factors(const DeviceFactor* factors, std::int64_t count, RandomKey key,
                                    std::uint32_t* draws, Stream stream) {
  launch(orthonormalise_or_draw_all, count, kThreads, stream, factors, key, draws);
}

}  // namespace gradwire
