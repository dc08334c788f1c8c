// EF-signSGD: the sign scaled by the mean magnitude, with error feedback. Karimireddy, Rebjock,
// Stich, Jaggi, "Error Feedback Fixes SignSGD and other Gradient Compression Schemes", arXiv
// 1901.09847, algorithm 1, with all tensors as one vector of n elements and the memory in units of
// the gradient, which is the same as the paper's for a constant learning rate:
//   p = gradient + memory,  sent = (|p|_1 / n) sign(p),  memory = p - sent.
// The result is the average over the ranks of what they sent.
//
// sign(0) is +1 (signs.hpp); of an all-zero vector the scale is 0. A scale that is not finite (some
// element was NaN or infinite) makes the whole result NaN at every rank, and that rank starts
// again with an empty memory. The scale is summed in double.

#include <algorithm>
#include <cmath>
#include <limits>

#include "compressors/reference/reference_registry.hpp"
#include "compressors/reference/signs.hpp"

namespace gradwire {
namespace {

class EfSignSgd : public Reference {
 public:
  explicit EfSignSgd(const ReferenceSetting& setting)
      : memory_(static_cast<std::size_t>(setting.elements().count())) {}

  std::vector<WireMessage> encode(int, std::span<const float> gradient, int) override {
    double sum = 0.0;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] += gradient[i];
      sum += std::fabs(static_cast<double>(memory_[i]));
    }
    auto scale = static_cast<float>(sum / static_cast<double>(memory_.size()));
    if (!std::isfinite(scale)) scale = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::uint32_t> words = packed_signs(memory_);
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] -= is_negative(words, i) ? -scale : scale;
    }
    if (std::isnan(scale)) std::fill(memory_.begin(), memory_.end(), 0.0F);
    return {make_message(DType::kInt32, words),
            make_message(DType::kFloat32, std::vector<float>{scale})};
  }

  void decode(int, const std::vector<WireMessage>& results, int ranks,
              std::span<float> averaged) override {
    const std::vector<std::uint32_t> words = values_of<std::uint32_t>(results[0]);
    const std::vector<float> scales = values_of<float>(results[1]);
    const std::size_t words_a_rank = words.size() / scales.size();
    std::fill(averaged.begin(), averaged.end(), 0.0F);
    for (std::size_t rank = 0; rank < scales.size(); ++rank) {
      const auto own = std::span{words}.subspan(rank * words_a_rank, words_a_rank);
      for (std::size_t i = 0; i < averaged.size(); ++i) {
        averaged[i] += is_negative(own, i) ? -scales[rank] : scales[rank];
      }
    }
    for (float& value : averaged) value /= static_cast<float>(ranks);
  }

  std::span<const float> memory() const override { return memory_; }

 private:
  std::vector<float> memory_;
};

}  // namespace

std::unique_ptr<Reference> make_ef_signsgd_reference(const ReferenceSetting& setting) {
  return std::make_unique<EfSignSgd>(setting);
}

}  // namespace gradwire
