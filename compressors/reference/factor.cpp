#include "compressors/reference/factor.hpp"

#include <algorithm>
#include <cmath>

namespace gradwire {
namespace {

constexpr double kDependent = 1e-6;  // of a column's length; float32 rounds to 6e-8

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double length(const Column& column) { return std::sqrt(dot(column, column)); }

std::vector<Column> columns_of(const Factor& factor) {
  std::vector<Column> columns(factor.columns, Column(factor.rows));
  for (std::size_t row = 0; row < factor.rows; ++row) {
    for (std::size_t column = 0; column < factor.columns; ++column) {
      columns[column][row] = static_cast<double>(factor.at(row, column));
    }
  }
  return columns;
}

void write_column(Factor& factor, std::size_t column, const Column& values) {
  for (std::size_t row = 0; row < factor.rows; ++row) {
    factor.at(row, column) = static_cast<float>(values[row]);
  }
}

/// A matrix of `rows` rows, of which `element(row, inner)` is one, times `right`; sums in double.
template <class Element>
Factor multiplied(std::size_t rows, const Factor& right, Element element) {
  Factor result(rows, right.columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < right.columns; ++column) {
      double sum = 0.0;
      for (std::size_t inner = 0; inner < right.rows; ++inner) {
        sum +=
            static_cast<double>(element(row, inner)) * static_cast<double>(right.at(inner, column));
      }
      result.at(row, column) = static_cast<float>(sum);
    }
  }
  return result;
}

}  // namespace

bool Factor::is_finite() const {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

std::vector<std::size_t> orthonormalise(Factor& factor) {
  std::vector<Column> columns = columns_of(factor);
  std::vector<double> lengths_before;
  for (const Column& column : columns) lengths_before.push_back(length(column));

  std::vector<std::size_t> dependent;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double left = length(columns[i]);
    if (left <= kDependent * lengths_before[i]) {
      dependent.push_back(i);
      std::fill(columns[i].begin(), columns[i].end(), 0.0);
    } else {
      for (double& value : columns[i]) value /= left;
      for (std::size_t behind = i + 1; behind < columns.size(); ++behind) {
        const double share = dot(columns[i], columns[behind]);
        for (std::size_t row = 0; row < factor.rows; ++row) {
          columns[behind][row] -= share * columns[i][row];
        }
      }
    }
    write_column(factor, i, columns[i]);
  }
  return dependent;
}

Factor product(std::span<const float> matrix, std::size_t rows, const Factor& right) {
  return multiplied(rows, right, [&](std::size_t row, std::size_t inner) {
    return matrix[row * right.rows + inner];
  });
}

Factor transposed_product(std::span<const float> matrix, std::size_t columns, const Factor& left) {
  return multiplied(columns, left, [&](std::size_t row, std::size_t inner) {
    return matrix[inner * columns + row];
  });
}

std::vector<float> outer_product(const Factor& left, const Factor& right) {
  std::vector<float> result;
  for (std::size_t row = 0; row < left.rows; ++row) {
    for (std::size_t column = 0; column < right.rows; ++column) {
      double sum = 0.0;
      for (std::size_t inner = 0; inner < left.columns; ++inner) {
        sum +=
            static_cast<double>(left.at(row, inner)) * static_cast<double>(right.at(column, inner));
      }
      result.push_back(static_cast<float>(sum));
    }
  }
  return result;
}

}  // namespace gradwire
