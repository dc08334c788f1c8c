// Exact top-k with memory: the k elements of largest magnitude. Stich, Cordonnier, Jaggi,
// "Sparsified SGD with Memory", arXiv 1809.07599: definition 2.1 (top_k), algorithm 1 (memory).
//
// Of equal magnitudes the one further in front is taken: of an all-equal gradient the first k
// elements. NaN and infinities as in selection.hpp. Subnormals count with their value.

#include <algorithm>
#include <numeric>

#include "compressors/reference/selection.hpp"

namespace gradwire {
namespace {

class TopK : public Selection {
 public:
  explicit TopK(const ReferenceSetting& setting) : Selection(setting, Memory::kOfWhatWasNotSent) {}

 private:
  std::vector<std::int64_t> select(std::span<const float> vector, std::int64_t k) override {
    std::vector<std::int64_t> order(vector.size());
    std::iota(order.begin(), order.end(), 0);
    const auto before = [vector](std::int64_t a, std::int64_t b) {
      const float one = selection_magnitude(vector[static_cast<std::size_t>(a)]);
      const float other = selection_magnitude(vector[static_cast<std::size_t>(b)]);
      return one != other ? one > other : a < b;
    };
    std::nth_element(order.begin(), order.begin() + k, order.end(), before);
    order.resize(static_cast<std::size_t>(k));
    std::sort(order.begin(), order.end());
    return order;
  }
};

}  // namespace

std::unique_ptr<Reference> make_topk_reference(const ReferenceSetting& setting) {
  return std::make_unique<TopK>(setting);
}

}  // namespace gradwire
