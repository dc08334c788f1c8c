#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compressors/cuda/device_runtime.hpp"

namespace gradwire {

/// result = left x right, or left^T x right. float32 in device memory, row by row; `left` is rows x
/// columns as it lies there, `right` has `right_columns`.
struct MatrixProduct {
  bool transposes_left = false;
  int rows = 0;
  int columns = 0;
  int right_columns = 0;
  const float* left = nullptr;
  const float* right = nullptr;
  float* result = nullptr;
};

/// A list of products that are taken together, again and again. What a library does better: one
/// implementation hands them to cuBLAS, as one grouped launch (matrix_products_cublas.cpp), one is
/// a plain loop for tests on the host (matrix_products_host.cpp).
class MatrixProducts {
 public:
  explicit MatrixProducts(const std::vector<MatrixProduct>& products);
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;

  /// Takes all products, in any order. Gives work to the stream and does not wait.
  void run(Stream stream);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace gradwire
