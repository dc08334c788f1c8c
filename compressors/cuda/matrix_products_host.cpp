#include "compressors/cuda/host_grid.hpp"
#include "compressors/cuda/matrix_products.hpp"

namespace gradwire {
namespace {

void multiply(const MatrixProduct& product) {
  const int rows = product.transposes_left ? product.columns : product.rows;
  const int inner = product.transposes_left ? product.rows : product.columns;
  const std::int64_t row_stride = product.transposes_left ? 1 : product.columns;
  const std::int64_t inner_stride = product.transposes_left ? product.columns : 1;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < product.right_columns; ++column) {
      float sum = 0.0F;
      for (int i = 0; i < inner; ++i) {
        sum += product.left[row * row_stride + i * inner_stride] *
               product.right[std::int64_t{i} * product.right_columns + column];
      }
      product.result[std::int64_t{row} * product.right_columns + column] = sum;
    }
  }
}

}  // namespace

class MatrixProducts::Library {
 public:
  explicit Library(const std::vector<MatrixProduct>& list) : products(list) {}
  std::vector<MatrixProduct> products;
};

MatrixProducts::MatrixProducts(const std::vector<MatrixProduct>& products)
    : library_(std::make_unique<Library>(products)) {}
MatrixProducts::~MatrixProducts() = default;

void MatrixProducts::run(Stream) {
  if (!library_->products.empty()) ++host_launches;
  for (const MatrixProduct& product : library_->products) multiply(product);
}

}  // namespace gradwire
