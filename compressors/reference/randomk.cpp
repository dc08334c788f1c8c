// Random-k with memory: k elements, every set of k equally likely. Stich, Cordonnier, Jaggi,
// "Sparsified SGD with Memory", arXiv 1809.07599: definition 2.1 (rand_k), algorithm 1 (memory).
// Values are sent as they are; times n / k they would be unbiased, and the memory would not be one.
//
// shared_seed=true: all ranks draw the same elements, and the values are all-reduced. The choice
// looks at no value, so that NaN and infinities are sent when their turn comes and stay in the
// memory of their rank until then.

#include "compressors/reference/random.hpp"
#include "compressors/reference/selection.hpp"

namespace gradwire {
namespace {

class RandomK : public Selection {
 public:
  RandomK(const ReferenceSetting& setting, bool shared_seed)
      : Selection(setting, Memory::kOfWhatWasNotSent),
        random_(setting.seed, shared_seed ? kSharedStream : own_stream(setting.rank)) {}

 private:
  std::vector<std::int64_t> select(std::span<const float> vector, std::int64_t k) override {
    return random_.subset(static_cast<std::int64_t>(vector.size()), k);
  }

  Random random_;
};

}  // namespace

std::unique_ptr<Reference> make_randomk_reference(const ReferenceSetting& setting) {
  return std::make_unique<RandomK>(setting, setting.parameters.truth("shared_seed", true));
}

}  // namespace gradwire
