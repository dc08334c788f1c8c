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
    Elements elements{0};
    for (const TensorShape& tensor : tensors) elements += tensor.elements();
    if (elements.count() == 0) return {};
    const auto wanted =
        static_cast<std::int64_t>(std::floor(fraction_ * static_cast<double>(elements.count())));
    const Elements selected{std::clamp<std::int64_t>(wanted, 1, elements.count())};
    if (index_bytes_ == 0) return {{"values", CollectiveKind::kAllReduce, selected, Bytes{4}}};
    return {{"values", CollectiveKind::kAllGather, selected, Bytes{4}},
            {"indices", CollectiveKind::kAllGather, selected, Bytes{index_bytes_}}};
  }

 private:
  std::string spelling_;
  double fraction_;
  int index_bytes_;
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
  return std::make_unique<Selection>(
      fmt::format("mstopk:fraction={},rounds={},index_bytes={}", fraction, rounds, index_bytes),
      fraction, index_bytes);
}

std::unique_ptr<Scheme> make_topk(SchemeParameters& parameters) {
  const double fraction = read_fraction(parameters);
  const int index_bytes = read_index_bytes(parameters);
  return std::make_unique<Selection>(
      fmt::format("topk:fraction={},index_bytes={}", fraction, index_bytes), fraction, index_bytes);
}

std::unique_ptr<Scheme> make_randomk(SchemeParameters& parameters) {
  const double fraction = read_fraction(parameters);
  const bool shared = parameters.truth("shared_seed", true);
  const int index_bytes = read_index_bytes(parameters);
  if (shared) {
    return std::make_unique<Selection>(
        fmt::format("randomk:fraction={},shared_seed=true", fraction), fraction, 0);
  }
  return std::make_unique<Selection>(
      fmt::format("randomk:fraction={},shared_seed=false,index_bytes={}", fraction, index_bytes),
      fraction, index_bytes);
}

}  // namespace gradwire
