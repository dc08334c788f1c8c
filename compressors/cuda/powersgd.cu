// PowerSGD over all matrices of an exchange at once: one kernel adds the gradients to the memories
// and gathers the other tensors, one orthonormalises every Q, cuBLAS takes every P = M Q in one
// grouped launch; one orthonormalises every P, cuBLAS takes every Q = M^T P; one writes P Q^T and
// takes it from the memory. The number of launches depends on no number of tensors.
//
// Near the reference (compressors/reference/powersgd.cpp) by the relative Frobenius error of the
// result: sums are float32 there where the reference has double. The same in all its special cases,
// but that a matrix counts as not finite where P or Q is not, or where their product could leave
// the range of float32.

#include <limits>

#include "base/errors.hpp"
#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/factor_kernels.hpp"
#include "compressors/cuda/matrix_products.hpp"
#include "compressors/cuda/powersgd_layout.hpp"

namespace gradwire {
namespace {

/// Neighbours of one tensor that one block goes through.
struct ElementTile {
  std::int64_t begin = 0;  // in the gradient
  std::int32_t elements = 0;
  std::int32_t matrix = 0;  // number of the matrix; kPlain for another tensor
  std::int64_t place = 0;   // of the first element within its matrix, or within the plain message
};

constexpr std::int32_t kPlain = -1;

/// Calls `act(i)` for each i below the tile's elements, each by one thread of the block.
template <class Act>
GW_DEVICE void for_each_in_tile(const ElementTile& tile, Act act) {
  for (int i = thread_index(); i < tile.elements; i += kThreads) act(i);
}

GW_KERNEL add_or_gather(const ElementTile* tiles, const float* gradient, float* memory,
                        float* plain) {
  const ElementTile tile = tiles[block_index()];
  for_each_in_tile(tile, [&](int i) {
    const float value = gradient[tile.begin + i];
    if (tile.matrix == kPlain) {
      plain[tile.place + i] = value;
    } else {
      memory[tile.begin + i] += value;
    }
  });
}

GW_KERNEL scatter_plain(const ElementTile* tiles, const float* sums, float ranks, float* averaged) {
  const ElementTile tile = tiles[block_index()];
  if (tile.matrix != kPlain) return;
  for_each_in_tile(tile, [&](int i) { averaged[tile.begin + i] = sums[tile.place + i] / ranks; });
}

/// q = sums / ranks, and whether P Q^T is surely finite, by matrix: a block each. Where it is not,
/// Q becomes zero, so that it is drawn anew.
GW_KERNEL take_q(const DeviceFactor* p_factors, const DeviceFactor* q_factors, const float* sums,
                 float ranks, std::uint32_t* finite) {
  const DeviceFactor p = p_factors[block_index()];
  const DeviceFactor q = q_factors[block_index()];
  // |P| is at most 1, so no partial sum is beyond this.
  const float most = kLargestFloat / static_cast<float>(q.columns + 1);
  double wrong = 0.0;
  for (std::int64_t i = thread_index(); i < p.rows * p.columns; i += kThreads) {
    if (!(p.values[i] - p.values[i] == 0.0F)) wrong = 1.0;
  }
  for (std::int64_t i = thread_index(); i < q.rows * q.columns; i += kThreads) {
    const float value = sums[q.first + static_cast<std::uint64_t>(i)] / ranks;
    q.values[i] = value;
    if (!(value <= most && value >= -most)) wrong = 1.0;
  }
  const bool is_finite = block_sum(wrong) == 0.0;
  if (thread_index() == 0) finite[block_index()] = is_finite ? 1 : 0;
  if (is_finite) return;
  for (std::int64_t i = thread_index(); i < q.rows * q.columns; i += kThreads) q.values[i] = 0.0F;
}

GW_KERNEL reconstruct(const ElementTile* tiles, const DeviceFactor* p_factors,
                      const DeviceFactor* q_factors, const std::uint32_t* finite, float* memory,
                      float* averaged) {
  const ElementTile tile = tiles[block_index()];
  if (tile.matrix == kPlain) return;
  const DeviceFactor p = p_factors[tile.matrix];
  const DeviceFactor q = q_factors[tile.matrix];
  const bool is_finite = finite[tile.matrix] != 0;
  for_each_in_tile(tile, [&](int i) {
    const std::int64_t place = tile.place + i;
    const std::int64_t row = place / q.rows;
    const float* left = p.values + row * p.columns;
    const float* right = q.values + (place - row * q.rows) * q.columns;
    float sum = 0.0F;
    for (int column = 0; column < p.columns; ++column) sum += left[column] * right[column];
    averaged[tile.begin + i] = is_finite ? sum : not_a_number();
    memory[tile.begin + i] = is_finite ? memory[tile.begin + i] - sum : 0.0F;
  });
}

class DevicePowerSgd : public DeviceCompressor {
 public:
  explicit DevicePowerSgd(const DeviceSetting& setting)
      : layout_(make_powersgd_layout(setting)),
        ranks_(static_cast<float>(setting.ranks)),
        key_(shared_key(setting.seed)),
        memory_(static_cast<std::size_t>(setting.elements())),
        p_(static_cast<std::size_t>(layout_.p_elements)),
        q_(static_cast<std::size_t>(layout_.q_elements)),
        draws_(layout_.matrices.size()),
        finite_(layout_.matrices.size()),
        tiles_(make_tiles(layout_)),
        p_factors_(factors_in(p_.get(), &CompressedMatrix::rows, &CompressedMatrix::first_p)),
        q_factors_(factors_in(q_.get(), &CompressedMatrix::columns, &CompressedMatrix::first_q)),
        p_products_(products(false)),
        q_products_(products(true)) {}

  int rounds() const override { return 2; }
  std::vector<DType> messages(int round) const override { return layout_.messages(round); }

  void encode(int round, const float* gradient, std::span<void* const> messages,
              Stream stream) override {
    if (round == 0) {
      encode_p(gradient, messages, stream);
    } else if (!layout_.matrices.empty()) {
      q_products_.run(stream);
      copy_on_device(messages[0], q_.get(), q_.size() * sizeof(float), stream);
    }
  }

  void decode(int round, std::span<void* const> results, float* averaged, Stream stream) override {
    if (round == 0) {
      decode_p(results, averaged, stream);
    } else if (!layout_.matrices.empty()) {
      launch(take_q, matrices(), kThreads, stream, p_factors_.get(), q_factors_.get(),
             static_cast<const float*>(results[0]), ranks_, finite_.get());
      launch(reconstruct, tiles(), kThreads, stream, tiles_.get(), p_factors_.get(),
             q_factors_.get(), finite_.get(), memory_.get(), averaged);
    }
  }

  const float* memory() const override { return memory_.get(); }

 private:
  void encode_p(const float* gradient, std::span<void* const> messages, Stream stream) {
    auto* plain = layout_.plain.empty() ? nullptr : static_cast<float*>(messages[0]);
    launch(add_or_gather, tiles(), kThreads, stream, tiles_.get(), gradient, memory_.get(), plain);
    if (layout_.matrices.empty()) return;
    orthonormalise_or_draw_factors(q_factors_.get(), matrices(), key_, draws_.get(), stream);
    p_products_.run(stream);
    copy_on_device(messages.back(), p_.get(), p_.size() * sizeof(float), stream);
  }

  void decode_p(std::span<void* const> results, float* averaged, Stream stream) {
    if (!layout_.plain.empty()) {
      launch(scatter_plain, tiles(), kThreads, stream, tiles_.get(),
             static_cast<const float*>(results[0]), ranks_, averaged);
    }
    if (layout_.matrices.empty()) return;
    copy_on_device(p_.get(), results.back(), p_.size() * sizeof(float), stream);
    orthonormalise_factors(p_factors_.get(), matrices(), stream);
  }

  std::int64_t tiles() const { return static_cast<std::int64_t>(tiles_.size()); }
  std::int64_t matrices() const { return static_cast<std::int64_t>(layout_.matrices.size()); }

  static std::vector<ElementTile> make_tiles(const PowerSgdLayout& layout) {
    std::vector<ElementTile> tiles;
    const auto add = [&](std::int64_t begin, std::int64_t elements, std::int32_t matrix,
                         std::int64_t place) {
      for (std::int64_t done = 0; done < elements; done += kElementsABlock) {
        const std::int64_t left = elements - done;
        tiles.push_back({begin + done,
                         static_cast<std::int32_t>(left < kElementsABlock ? left : kElementsABlock),
                         matrix, place + done});
      }
    };
    for (std::size_t i = 0; i < layout.matrices.size(); ++i) {
      const CompressedMatrix& matrix = layout.matrices[i];
      add(matrix.begin, matrix.rows * matrix.columns, static_cast<std::int32_t>(i), 0);
    }
    for (const PlainTensor& tensor : layout.plain) {
      add(tensor.begin, tensor.elements, kPlain, tensor.first);
    }
    return tiles;
  }

  std::vector<DeviceFactor> factors_in(float* values, std::int64_t CompressedMatrix::*rows,
                                       std::int64_t CompressedMatrix::*first) const {
    std::vector<DeviceFactor> factors;
    for (const CompressedMatrix& matrix : layout_.matrices) {
      factors.push_back({values + matrix.*first, matrix.*rows, matrix.rank,
                         static_cast<std::uint64_t>(matrix.*first)});
    }
    return factors;
  }

  /// P = M Q, or Q = M^T P.
  std::vector<MatrixProduct> products(bool of_q) const {
    std::vector<MatrixProduct> products;
    for (const CompressedMatrix& matrix : layout_.matrices) {
      float* p = p_.get() + matrix.first_p;
      float* q = q_.get() + matrix.first_q;
      products.push_back({of_q, static_cast<int>(matrix.rows), static_cast<int>(matrix.columns),
                          matrix.rank, memory_.get() + matrix.begin, of_q ? p : q, of_q ? q : p});
    }
    return products;
  }

  PowerSgdLayout layout_;
  float ranks_;
  RandomKey key_;
  DeviceArray<float> memory_;
  DeviceArray<float> p_;  // of all matrices, each row by row
  DeviceArray<float> q_;
  DeviceArray<std::uint32_t> draws_;   // of Q, by matrix
  DeviceArray<std::uint32_t> finite_;  // by matrix
  DeviceArray<ElementTile> tiles_;
  DeviceArray<DeviceFactor> p_factors_;
  DeviceArray<DeviceFactor> q_factors_;
  MatrixProducts p_products_;
  MatrixProducts q_products_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_powersgd(const DeviceSetting& setting) {
  const int rank = setting.parameters.integer("rank", 4, 1, std::numeric_limits<int>::max());
  if (rank > kMaxFactorColumns) {
    throw InputError("compressor: powersgd of rank " + std::to_string(rank) +
                     "; its kernels take ranks up to " + std::to_string(kMaxFactorColumns));
  }
  return std::make_unique<DevicePowerSgd>(setting);
}

}  // namespace gradwire
