// Random-k with memory: k elements, each as likely as any other. Stich, Cordonnier, Jaggi,
// "Sparsified SGD with Memory", arXiv 1809.07599: definition 2.1 (rand_k), algorithm 1 (memory).
// There every set of k is equally likely; here one element of each of k runs of neighbours is drawn
// (RandomChoice), which a GPU does without sorting and which contracts as much: k / n of the
// squares in the mean. Values are sent as they are; times n / k they would be unbiased, and the
// memory would not be one.
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
        key_(shared_seed ? shared_key(setting.seed) : own_key(setting.seed, setting.rank)) {}

 private:
  std::vector<std::int64_t> select(std::span<const float> vector, std::int64_t k) override {
    std::vector<std::int64_t> taken;
    if (k == 0) return taken;
    const RandomChoice choice(key_, exchange_++, vector.size(), static_cast<std::uint64_t>(k));
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(k); ++i) {
      taken.push_back(static_cast<std::int64_t>(choice[i]));
    }
    return taken;
  }

  RandomKey key_;
  std::uint32_t exchange_ = 0;
};

}  // namespace

std::unique_ptr<Reference> make_randomk_reference(const ReferenceSetting& setting) {
  return std::make_unique<RandomK>(setting, setting.parameters.truth("shared_seed", true));
}

}  // namespace gradwire
