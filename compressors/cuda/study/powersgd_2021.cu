// PowerSGD as the study's RankKReducer runs it (arXiv 2103.00543; repository
// uw-mad-dash/GradCompressionUtility, as read): every matrix by itself. To encode, for each tensor
// gradient plus memory and a copy, for each matrix a product P = M Q. Then on each P Gram-Schmidt
// column by column: four launches to normalise a column, four to take it from those behind, 8 r - 4
// in all; and Q = M^T P. To decode, P Q^T and two launches for the memory. The host waits for the
// device at the beginning of each of the four stages; the study's timer makes it wait about five
// times as often.
//
// Q is not orthonormalised: P, and with it the result, spans the same. Near the reference
// (compressors/reference/powersgd.cpp) by the relative Frobenius error where no column is dependent
// on others and everything is finite; none of the reference's rules for the other cases.

#include <cmath>
#include <limits>

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/factor_kernels.hpp"
#include "compressors/cuda/matrix_products.hpp"
#include "compressors/cuda/powersgd_layout.hpp"
#include "compressors/cuda/selected_elements.hpp"

namespace gradwire {
namespace {

constexpr float kEpsilon = 1e-8F;  // added to a column's length; recalled from that code

GW_KERNEL copy(std::int64_t elements, const float* from, float* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] = from[i]; });
}

GW_KERNEL divide(std::int64_t elements, float divisor, float* values) {
  for_each_element(elements, [=](std::int64_t i) { values[i] /= divisor; });
}

/// Column `column` squared.
GW_KERNEL square(std::int64_t rows, int columns, int column, const float* p, float* to) {
  for_each_element(rows, [=](std::int64_t row) {
    const float value = p[row * columns + column];
    to[row] = value * value;
  });
}

/// The sums over the rows of `width` columns, one block each.
GW_KERNEL sum_rows(std::int64_t rows, int width, const float* values, float* sums) {
  double sum = 0.0;
  for (std::int64_t row = thread_index(); row < rows; row += kThreads) {
    sum += static_cast<double>(values[row * width + block_index()]);
  }
  sum = block_sum(sum);
  if (thread_index() == 0) sums[block_index()] = static_cast<float>(sum);
}

GW_KERNEL take_root(float* value) {
  if (thread_index() == 0) *value = sqrtf(*value) + kEpsilon;
}

GW_KERNEL divide_column(std::int64_t rows, int columns, int column, const float* length, float* p) {
  for_each_element(rows, [=](std::int64_t row) { p[row * columns + column] /= *length; });
}

/// Column `column` times each of the `behind` columns behind it.
GW_KERNEL multiply_columns(std::int64_t rows, int columns, int column, int behind, const float* p,
                           float* to) {
  for_each_element(rows * behind, [=](std::int64_t i) {
    const float* row = p + i / behind * columns;
    to[i] = row[column] * row[column + 1 + i % behind];
  });
}

/// Column `column` times its share in each of those behind.
GW_KERNEL scale_column(std::int64_t rows, int columns, int column, int behind, const float* p,
                       const float* shares, float* to) {
  for_each_element(rows * behind, [=](std::int64_t i) {
    to[i] = p[i / behind * columns + column] * shares[i % behind];
  });
}

GW_KERNEL subtract_columns(std::int64_t rows, int columns, int column, int behind,
                           const float* what, float* p) {
  for_each_element(rows * behind, [=](std::int64_t i) {
    p[i / behind * columns + column + 1 + i % behind] -= what[i];
  });
}

GW_KERNEL multiply_out(std::int64_t elements, std::int64_t matrix_columns, int rank, const float* p,
                       const float* q, float* to) {
  for_each_element(elements, [=](std::int64_t i) {
    const float* left = p + i / matrix_columns * rank;
    const float* right = q + i % matrix_columns * rank;
    float sum = 0.0F;
    for (int column = 0; column < rank; ++column) sum += left[column] * right[column];
    to[i] = sum;
  });
}

GW_KERNEL subtract(std::int64_t elements, const float* what, float* from) {
  for_each_element(elements, [=](std::int64_t i) { from[i] -= what[i]; });
}

class StudyPowerSgd : public DeviceCompressor {
 public:
  explicit StudyPowerSgd(const DeviceSetting& setting)
      : layout_(make_powersgd_layout(setting)),
        ranks_(static_cast<float>(setting.ranks)),
        memory_(static_cast<std::size_t>(setting.elements())),
        sent_(memory_.size()),
        p_(static_cast<std::size_t>(layout_.p_elements)),
        q_(static_cast<std::size_t>(layout_.q_elements)),
        columns_(p_.size()),
        sums_(kMaxFactorColumns) {
    std::vector<DeviceFactor> factors;
    for (const CompressedMatrix& matrix : layout_.matrices) {
      float* p = p_.get() + matrix.first_p;
      float* q = q_.get() + matrix.first_q;
      const int rows = static_cast<int>(matrix.rows);
      const int columns = static_cast<int>(matrix.columns);
      const float* m = sent_.get() + matrix.begin;
      p_products_.push_back(one_product({false, rows, columns, matrix.rank, m, q, p}));
      q_products_.push_back(one_product({true, rows, columns, matrix.rank, m, p, q}));
      factors.push_back(
          {q, matrix.columns, matrix.rank, static_cast<std::uint64_t>(matrix.first_q)});
    }
    const DeviceArray<DeviceFactor> drawn(factors);
    const DeviceArray<std::uint32_t> draws(factors.size());
    orthonormalise_or_draw_factors(drawn.get(), static_cast<std::int64_t>(factors.size()),
                                   shared_key(setting.seed), draws.get(), nullptr);
    wait_for(nullptr);
  }

  int rounds() const override { return 2; }
  std::vector<DType> messages(int round) const override { return layout_.messages(round); }

  void encode(int round, const float* gradient, std::span<void* const> messages,
              Stream stream) override {
    wait_for(stream);
    if (round == 0) {
      encode_p(gradient, messages, stream);
      return;
    }
    for (const auto& product : q_products_) product->run(stream);
    if (!layout_.matrices.empty()) {
      copy_on_device(messages[0], q_.get(), q_.size() * sizeof(float), stream);
    }
  }

  void decode(int round, std::span<void* const> results, float* averaged, Stream stream) override {
    wait_for(stream);
    if (round == 0) {
      decode_p(results, averaged, stream);
    } else if (!layout_.matrices.empty()) {
      decode_q(static_cast<const float*>(results[0]), averaged, stream);
    }
  }

  const float* memory() const override { return memory_.get(); }
  bool waits_for_device() const override { return true; }

 private:
  static std::unique_ptr<MatrixProducts> one_product(const MatrixProduct& product) {
    return std::make_unique<MatrixProducts>(std::vector<MatrixProduct>{product});
  }

  void encode_p(const float* gradient, std::span<void* const> messages, Stream stream) {
    for (const CompressedMatrix& matrix : layout_.matrices) {
      const std::int64_t elements = matrix.rows * matrix.columns;
      add_gradient(gradient + matrix.begin, elements, memory_.get() + matrix.begin, stream);
      launch_each(copy, elements, stream, memory_.get() + matrix.begin, sent_.get() + matrix.begin);
    }
    for (const PlainTensor& tensor : layout_.plain) {
      launch_each(copy, tensor.elements, stream, gradient + tensor.begin,
                  static_cast<float*>(messages[0]) + tensor.first);
    }
    for (const auto& product : p_products_) product->run(stream);
    if (!layout_.matrices.empty()) {
      copy_on_device(messages.back(), p_.get(), p_.size() * sizeof(float), stream);
    }
  }

  void decode_p(std::span<void* const> results, float* averaged, Stream stream) {
    for (const PlainTensor& tensor : layout_.plain) {
      float* to = averaged + tensor.begin;
      launch_each(copy, tensor.elements, stream,
                  static_cast<const float*>(results[0]) + tensor.first, to);
      launch_each(divide, tensor.elements, stream, ranks_, to);
    }
    if (layout_.matrices.empty()) return;
    copy_on_device(p_.get(), results.back(), p_.size() * sizeof(float), stream);
    for (const CompressedMatrix& matrix : layout_.matrices) orthonormalise_p(matrix, stream);
  }

  void orthonormalise_p(const CompressedMatrix& matrix, Stream stream) {
    float* p = p_.get() + matrix.first_p;
    const std::int64_t rows = matrix.rows;
    const int rank = matrix.rank;
    for (int column = 0; column < rank; ++column) {
      const std::int64_t blocks = blocks_for(rows, kElementsABlock);
      launch(square, blocks, kThreads, stream, rows, rank, column, p, columns_.get());
      launch(sum_rows, 1, kThreads, stream, rows, 1, columns_.get(), sums_.get());
      launch(take_root, 1, kWarp, stream, sums_.get());
      launch(divide_column, blocks, kThreads, stream, rows, rank, column, sums_.get(), p);
      const int behind = rank - column - 1;
      if (behind == 0) continue;
      const std::int64_t wide = blocks_for(rows * behind, kElementsABlock);
      launch(multiply_columns, wide, kThreads, stream, rows, rank, column, behind, p,
             columns_.get());
      launch(sum_rows, behind, kThreads, stream, rows, behind, columns_.get(), sums_.get());
      launch(scale_column, wide, kThreads, stream, rows, rank, column, behind, p, sums_.get(),
             columns_.get());
      launch(subtract_columns, wide, kThreads, stream, rows, rank, column, behind, columns_.get(),
             p);
    }
  }

  void decode_q(const float* sums, float* averaged, Stream stream) {
    copy_on_device(q_.get(), sums, q_.size() * sizeof(float), stream);
    launch_each(divide, layout_.q_elements, stream, ranks_, q_.get());
    for (const CompressedMatrix& matrix : layout_.matrices) {
      const std::int64_t elements = matrix.rows * matrix.columns;
      float* to = averaged + matrix.begin;
      launch_each(multiply_out, elements, stream, matrix.columns, matrix.rank,
                  p_.get() + matrix.first_p, q_.get() + matrix.first_q, to);
      float* memory = memory_.get() + matrix.begin;
      launch_each(copy, elements, stream, sent_.get() + matrix.begin, memory);
      launch_each(subtract, elements, stream, to, memory);
    }
  }

  PowerSgdLayout layout_;
  float ranks_;
  DeviceArray<float> memory_;
  DeviceArray<float> sent_;  // gradient plus memory
  DeviceArray<float> p_;
  DeviceArray<float> q_;
  DeviceArray<float> columns_;  // what Gram-Schmidt makes on the way
  DeviceArray<float> sums_;
  std::vector<std::unique_ptr<MatrixProducts>> p_products_;
  std::vector<std::unique_ptr<MatrixProducts>> q_products_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_study_powersgd(const DeviceSetting& setting) {
  setting.parameters.integer("rank", 4, 1, kMaxFactorColumns);
  return std::make_unique<StudyPowerSgd>(setting);
}

}  // namespace gradwire
