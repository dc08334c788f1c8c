// QSGD: magnitudes rounded at random to levels of a bucket's norm. Alistarh, Grubic, Li, Tomioka,
// Vojnovic, "QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding", arXiv
// 1610.02132, section 3.1 (the quantiser Q_s) and section 4 (buckets). Codes have a fixed width
// instead of the paper's Elias codes, so that the length of a message does not depend on the data.
//
// An element v of a bucket of 2-norm N becomes sign(v) N l / s: with s |v| / N between the levels l
// and l + 1, l + 1 with the probability s |v| / N - l, else l; s = 2^(bits - 1) - 1. Its code is l
// and, above it, the sign. 32 / bits codes a word, from the lowest bits on. The result is the
// average over the ranks. No memory: the quantiser is unbiased (but for float32's rounding of s |v|
// / N, and draws of 32 bits).
//
// A bucket whose norm is no finite float32 (some element was NaN or infinite, or near the largest
// float32) is NaN at every rank. A bucket of zeros is sent as zeros. Norms are summed in double.

#include <algorithm>
#include <cmath>
#include <limits>

#include "compressors/reference/random.hpp"
#include "compressors/reference/reference_registry.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kWordBits = 32;

float norm_of(std::span<const float> bucket) {
  double sum = 0.0;
  for (const float value : bucket) sum += static_cast<double>(value) * static_cast<double>(value);
  const double norm = std::sqrt(sum);
  const bool representable = norm <= static_cast<double>(std::numeric_limits<float>::max());
  return representable ? static_cast<float>(norm) : std::numeric_limits<float>::quiet_NaN();
}

class Qsgd : public Reference {
 public:
  Qsgd(const ReferenceSetting& setting, int bits, int bucket)
      : bits_(static_cast<std::size_t>(bits)),
        bucket_(static_cast<std::size_t>(bucket)),
        key_(own_key(setting.seed, setting.rank)) {}

  std::vector<WireMessage> encode(int, std::span<const float> gradient, int) override {
    std::vector<std::uint32_t> words((gradient.size() + codes_a_word() - 1) / codes_a_word());
    std::vector<float> norms;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (i % bucket_ == 0) {
        norms.push_back(norm_of(gradient.subspan(i, std::min(bucket_, gradient.size() - i))));
      }
      words[i / codes_a_word()] |=
          code_of(gradient[i], norms.back(), random_word(key_, exchange_, i)) << shift_of(i);
    }
    ++exchange_;
    return {make_message(DType::kInt32, words), make_message(DType::kFloat32, norms)};
  }

  void decode(int, const std::vector<WireMessage>& results, int ranks,
              std::span<float> averaged) override {
    const std::vector<std::uint32_t> words = values_of<std::uint32_t>(results[0]);
    const std::vector<float> norms = values_of<float>(results[1]);
    const std::size_t words_a_rank = words.size() / static_cast<std::size_t>(ranks);
    const std::size_t norms_a_rank = norms.size() / static_cast<std::size_t>(ranks);
    std::fill(averaged.begin(), averaged.end(), 0.0F);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
      for (std::size_t i = 0; i < averaged.size(); ++i) {
        const std::uint32_t word = words[rank * words_a_rank + i / codes_a_word()];
        averaged[i] += value_of(word >> shift_of(i), norms[rank * norms_a_rank + i / bucket_]);
      }
    }
    for (float& value : averaged) value /= static_cast<float>(ranks);
  }

 private:
  std::size_t codes_a_word() const { return kWordBits / bits_; }
  std::size_t shift_of(std::size_t element) const { return element % codes_a_word() * bits_; }
  std::uint32_t sign_bit() const { return 1U << (bits_ - 1); }
  std::uint32_t levels() const { return sign_bit() - 1; }

  std::uint32_t code_of(float value, float norm, std::uint32_t draw) const {
    if (!(norm > 0.0F)) return 0;
    // The norm is rounded to float32, so that the ratio may come out a little above 1.
    const float ratio = std::min(std::fabs(value) / norm, 1.0F);
    const float place = ratio * static_cast<float>(levels());
    const float level = std::floor(place);
    const bool up = static_cast<double>(draw) * 0x1p-32 < static_cast<double>(place - level);
    const std::uint32_t code = static_cast<std::uint32_t>(level) + (up ? 1U : 0U);
    return value < 0.0F ? code | sign_bit() : code;
  }

  /// The value of the lowest `bits_` bits.
  float value_of(std::uint32_t code, float norm) const {
    const float share = static_cast<float>(code & levels()) / static_cast<float>(levels());
    const float magnitude = norm * share;
    return (code & sign_bit()) != 0 ? -magnitude : magnitude;
  }

  std::size_t bits_;
  std::size_t bucket_;  // elements
  RandomKey key_;
  std::uint32_t exchange_ = 0;
};

}  // namespace

std::unique_ptr<Reference> make_qsgd_reference(const ReferenceSetting& setting) {
  constexpr int kMax = std::numeric_limits<int>::max();
  return std::make_unique<Qsgd>(setting, setting.parameters.integer("bits", 4, 2, 16),
                                setting.parameters.integer("bucket", 512, 1, kMax));
}

}  // namespace gradwire
