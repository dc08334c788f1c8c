#include "compressors/spec/selections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace gradwire {
namespace {

class Selection : public Scheme {
 public:
  /// `index_bytes` 0: no indices, values all-reduced.
  Selection(std::string spelling, double fraction, int index_bytes)
      : spelling_(std::move(spelling)), fraction_(fraction), index_bytes_(index_bytes) {}

  std::string spelling() const override { return spelling_; }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    const Elements selected = selection_of(total_elements(tensors));
    if (selected.count() == 0) return {};
    if (index_bytes_ == 0) return {{"values", CollectiveKind::kAllReduce, selected, Bytes{4}}};
    return {{"values", CollectiveKind::kAllGather, selected, Bytes{4}},
            {"indices", CollectiveKind::kAllGather, selected, Bytes{index_bytes_}}};
  }

  DeviceWork work(const std::vector<TensorShape>& tensors, int ranks) const override {
    const Elements elements = total_elements(tensors);
    if (elements.count() == 0) return {};
    const auto all = static_cast<double>(elements.count());
    const auto selected = static_cast<double>(selection_of(elements).count());
    return {encode_work(all, selected), decode_work(all, selected, ranks), {}};
  }

 protected:
  virtual PhaseWork encode_work(double all, double selected) const = 0;

  /// Zeros (4 bytes an element), then for each rank's message an indexed sum in 3 launches: the
  /// values at the indices, plus the message, put back: 16 + 12 + 16 bytes a selected element with
  /// 8-byte indices on the device. MsTopKReducer's loop. One message where values were all-reduced,
  /// and it is only put in place.
  PhaseWork decode_work(double all, double selected, int ranks) const {
    if (index_bytes_ == 0) return {2, 4.0 * all + 16.0 * selected, 0};
    return {1 + 3L * ranks, 4.0 * all + 44.0 * selected * ranks, 0};
  }

 private:
  Elements selection_of(Elements all) const {
    if (all.count() == 0) return all;
    const auto wanted =
        static_cast<std::int64_t>(std::floor(fraction_ * static_cast<double>(all.count())));
    return Elements{std::clamp<std::int64_t>(wanted, 1, all.count())};
  }

  std::string spelling_;
  double fraction_;
  int index_bytes_;
};

class MsTopK : public Selection {
 public:
  MsTopK(std::string spelling, double fraction, int index_bytes, int rounds)
      : Selection(std::move(spelling), fraction, index_bytes), rounds_(rounds) {}

 protected:
  /// MsTopKReducer and its hook. Once: absolute values (8 bytes an element), their mean and maximum
  /// (4 each), two nonzero passes (compare 5, list 2; compare twice, and, list: 15) that each wait
  /// for a length, then indices joined and values taken (40 bytes a selected element). Each round:
  /// three operations on scalars, compare (5), count (1), compare with k: 6 launches, 6 bytes an
  /// element and one wait of the host; the code asks up to twice more, then with an idle device.
  PhaseWork encode_work(double all, double selected) const override {
    return {3 + 3 + 5 + 2 + 6L * rounds_, (38.0 + 6.0 * rounds_) * all + 40.0 * selected,
            rounds_ + 2};
  }

 private:
  int rounds_;
};

class TopK : public Selection {
 public:
  using Selection::Selection;

 protected:
  /// GlobalTopKReducer: packed (8 bytes an element), absolute values (8), torch.topk, values taken
  /// (28 bytes a selected element with what topk writes). topk is assumed to be PyTorch 1.8's radix
  /// selection, 2 bits a pass over 32-bit keys and two passes that collect: 18 x 4 bytes, in one
  /// thread block, so that a profile has its own rate for it. The mask over all positions for each
  /// tensor (and, decoding, each rank) is not counted; the decode is MSTop-K's.
  PhaseWork encode_work(double all, double selected) const override {
    return {4, 88.0 * all + 28.0 * selected, 0};
  }
};

class RandomK : public Selection {
 public:
  using Selection::Selection;

 protected:
  /// Assumed: indices drawn on the device (8 bytes a selected element) and values taken (16), one
  /// launch each. UniformRandomSparseReducer draws on the host, tensor by tensor, which is slower.
  PhaseWork encode_work(double, double selected) const override { return {2, 24.0 * selected, 0}; }
};

double read_fraction(SchemeParameters& parameters) {
  return parameters.number("fraction", 0.01, 0.0, 1.0);
}

int read_index_bytes(SchemeParameters& parameters) {
  const int bytes = parameters.integer("index_bytes", 4, 4, 8);
  if (bytes != 4 && bytes != 8) {
    throw InputError(fmt::format("index_bytes: {} found; 4 or 8 is accepted", bytes));
  }
  return bytes;
}

}  // namespace

std::unique_ptr<Scheme> make_mstopk(SchemeParameters& parameters) {
  const double fraction = read_fraction(parameters);
  const int rounds = parameters.integer("rounds", 20, 1, 1000);
  const int index_bytes = read_index_bytes(parameters);
  return std::make_unique<MsTopK>(
      fmt::format("mstopk:fraction={},rounds={},index_bytes={}", fraction, rounds, index_bytes),
      fraction, index_bytes, rounds);
}

std::unique_ptr<Scheme> make_topk(SchemeParameters& parameters) {
  const double fraction = read_fraction(parameters);
  const int index_bytes = read_index_bytes(parameters);
  return std::make_unique<TopK>(
      fmt::format("topk:fraction={},index_bytes={}", fraction, index_bytes), fraction, index_bytes);
}

std::unique_ptr<Scheme> make_randomk(SchemeParameters& parameters) {
  const double fraction = read_fraction(parameters);
  const bool shared = parameters.truth("shared_seed", true);
  const int index_bytes = read_index_bytes(parameters);
  if (shared) {
    return std::make_unique<RandomK>(fmt::format("randomk:fraction={},shared_seed=true", fraction),
                                     fraction, 0);
  }
  return std::make_unique<RandomK>(
      fmt::format("randomk:fraction={},shared_seed=false,index_bytes={}", fraction, index_bytes),
      fraction, index_bytes);
}

}  // namespace gradwire
