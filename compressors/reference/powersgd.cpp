// PowerSGD: low-rank factors by one power iteration an exchange. Vogels, Karimireddy, Jaggi,
// "PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization", arXiv
// 1905.13727, algorithm 1 (the factors) and 2 (error feedback), in the order of PyTorch's
// powerSGD_hook (torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py) with
// use_error_feedback and warm_start: for each matrix M = gradient + memory,
//   Q orthonormalised (of the exchange before; drawn at random, the same on all ranks, at first),
//   P = M Q, summed over the ranks, orthonormalised,
//   Q = M^T P, averaged over the ranks,
//   result P Q^T, the next memory M - P Q^T.
// Which tensors are matrices that are compressed, and their rank, is what the scheme says. All
// others are averaged as they are and have no memory. start_iter is taken as past.
//
// A column of P that depends on the others is zero. Such a column of Q, also one that an all-zero
// gradient left, is drawn anew, or its direction would be lost for ever. Where P Q^T is not finite
// (a rank's matrix held NaN or an infinity, or a sum overflowed) the whole matrix is NaN at every
// rank, its memory zero, and Q is drawn anew.
//
// tests/compressors/reference/torch_hooks_test.py holds this to the hook, from the same first Q:
// they are apart by rounding to float32, which the hook does more often. Where else they differ, as
// seen with PyTorch 1.13:
// - The hook draws other random numbers, and beyond rank 2 orthonormalises by a QR factorisation,
//   whose columns may have the other sign; P Q^T is the same.
// - It remembers for uncompressed tensors as well how far the rank is from the average. Over the
//   ranks that sums to zero: the results are the same, but for rounding.
// - It takes a vector for a matrix of one column, which it compresses (without loss, rank 1) where
//   min_compression_rate is below n / (n + 1), and asks that rate of the rank that a matrix can
//   have, where the scheme asks it of the rank given. From a rate of 1 on both choose the same
//   tensors.
// - Up to rank 2 an all-zero gradient makes its results NaN for good, and of a matrix of rank 1 at
//   rank 2 it normalises the rounding that is left of the second column: such a result was 60 %
//   off.

#include <algorithm>
#include <cmath>
#include <limits>

#include "compressors/reference/factor.hpp"
#include "compressors/reference/random.hpp"
#include "compressors/reference/reference_registry.hpp"

namespace gradwire {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The elements of one tensor within the gradient.
struct Place {
  std::size_t begin;
  std::size_t elements;
};

struct Matrix {
  Place place;
  Factor p;
  Factor q;
  std::uint64_t first_q = 0;  ///< elements of the matrices' Q in front of this one's
  std::uint32_t draws = 0;    ///< times that columns of Q were drawn
};

void append(std::vector<float>& to, std::span<const float> values) {
  to.insert(to.end(), values.begin(), values.end());
}

/// Takes as many values as `to` holds from the front of `from`.
void take(std::span<const float>& from, std::span<float> to) {
  std::copy_n(from.begin(), to.size(), to.begin());
  from = from.subspan(to.size());
}

class PowerSgd : public Reference {
 public:
  explicit PowerSgd(const ReferenceSetting& setting)
      : memory_(static_cast<std::size_t>(setting.elements().count())),
        key_(shared_key(setting.seed)) {
    std::size_t begin = 0;
    for (const TensorShape& shape : setting.shapes) {
      const auto elements = static_cast<std::size_t>(shape.elements().count());
      add_tensor({begin, elements}, shape, setting.scheme.transfers({shape}));
      begin += elements;
    }
  }

  int rounds() const override { return 2; }

  std::vector<WireMessage> encode(int round, std::span<const float> gradient, int) override {
    return round == 0 ? encode_p(gradient) : encode_q();
  }

  void decode(int round, const std::vector<WireMessage>& results, int ranks,
              std::span<float> averaged) override {
    if (round == 0) {
      decode_p(results, ranks, averaged);
    } else {
      decode_q(results, ranks, averaged);
    }
  }

  std::span<const float> memory() const override { return memory_; }

 private:
  void add_tensor(Place place, const TensorShape& shape, const std::vector<Transfer>& transfers) {
    const auto p = std::find_if(transfers.begin(), transfers.end(),
                                [](const Transfer& transfer) { return transfer.what == "P"; });
    if (p == transfers.end()) {
      if (place.elements > 0) plain_.push_back(place);
      return;
    }
    const auto rows = static_cast<std::size_t>(shape.rows());
    const std::size_t rank = static_cast<std::size_t>(p->elements.count()) / rows;
    const std::uint64_t first_q =
        matrices_.empty() ? 0 : matrices_.back().first_q + matrices_.back().q.values.size();
    matrices_.push_back({place, Factor(rows, rank), Factor(place.elements / rows, rank), first_q});
  }

  std::vector<WireMessage> encode_p(std::span<const float> gradient) {
    std::vector<WireMessage> messages;
    std::vector<float> plain;
    for (const Place& place : plain_) append(plain, gradient.subspan(place.begin, place.elements));
    if (!plain.empty()) messages.push_back(make_message(DType::kFloat32, plain));

    std::vector<float> all_p;
    for (Matrix& matrix : matrices_) {
      const std::span<float> m = memory_of(matrix);
      for (std::size_t i = 0; i < m.size(); ++i) m[i] += gradient[matrix.place.begin + i];
      orthonormalise_q(matrix);
      append(all_p, product(m, matrix.p.rows, matrix.q).values);
    }
    if (!all_p.empty()) messages.push_back(make_message(DType::kFloat32, all_p));
    return messages;
  }

  void decode_p(const std::vector<WireMessage>& results, int ranks, std::span<float> averaged) {
    if (!plain_.empty()) {
      const std::vector<float> sums = values_of<float>(results.front());
      std::span<const float> left{sums};
      for (const Place& place : plain_) {
        const std::span<float> to = averaged.subspan(place.begin, place.elements);
        take(left, to);
        for (float& value : to) value /= static_cast<float>(ranks);
      }
    }
    if (matrices_.empty()) return;
    const std::vector<float> sums = values_of<float>(results.back());
    std::span<const float> left{sums};
    for (Matrix& matrix : matrices_) {
      take(left, matrix.p.values);
      if (matrix.p.is_finite()) {
        orthonormalise(matrix.p);
      } else {
        std::fill(matrix.p.values.begin(), matrix.p.values.end(), kNan);
      }
    }
  }

  std::vector<WireMessage> encode_q() {
    if (matrices_.empty()) return {};
    std::vector<float> all_q;
    for (Matrix& matrix : matrices_) {
      append(all_q, transposed_product(memory_of(matrix), matrix.q.rows, matrix.p).values);
    }
    return {make_message(DType::kFloat32, all_q)};
  }

  void decode_q(const std::vector<WireMessage>& results, int ranks, std::span<float> averaged) {
    if (matrices_.empty()) return;
    const std::vector<float> sums = values_of<float>(results.front());
    std::span<const float> left{sums};
    for (Matrix& matrix : matrices_) {
      take(left, matrix.q.values);
      for (float& value : matrix.q.values) value /= static_cast<float>(ranks);
      const std::vector<float> approximation = outer_product(matrix.p, matrix.q);
      const std::span<float> m = memory_of(matrix);
      const std::span<float> to = averaged.subspan(matrix.place.begin, matrix.place.elements);
      if (std::all_of(approximation.begin(), approximation.end(),
                      [](float value) { return std::isfinite(value); })) {
        std::copy(approximation.begin(), approximation.end(), to.begin());
        for (std::size_t i = 0; i < m.size(); ++i) m[i] -= approximation[i];
      } else {
        std::fill(to.begin(), to.end(), kNan);
        std::fill(m.begin(), m.end(), 0.0F);
        std::fill(matrix.q.values.begin(), matrix.q.values.end(), 0.0F);
      }
    }
  }

  std::span<float> memory_of(const Matrix& matrix) {
    return std::span{memory_}.subspan(matrix.place.begin, matrix.place.elements);
  }

  /// The same on all ranks: they hold the same Q and share the random numbers.
  void orthonormalise_q(Matrix& matrix) {
    Factor& q = matrix.q;
    for (auto lost = orthonormalise(q); !lost.empty(); lost = orthonormalise(q)) {
      for (const std::size_t column : lost) {
        for (std::size_t row = 0; row < q.rows; ++row) {
          const std::uint64_t element = matrix.first_q + row * q.columns + column;
          q.at(row, column) =
              static_cast<float>(random_normal(random_bits(key_, matrix.draws, element)));
        }
      }
      ++matrix.draws;
    }
  }

  std::vector<Place> plain_;
  std::vector<Matrix> matrices_;
  std::vector<float> memory_;  // n elements; of tensors that are not compressed always 0
  RandomKey key_;
};

}  // namespace

std::unique_ptr<Reference> make_powersgd_reference(const ReferenceSetting& setting) {
  return std::make_unique<PowerSgd>(setting);
}

}  // namespace gradwire
