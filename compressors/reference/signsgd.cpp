// signSGD with majority vote. Bernstein, Zhao, Azizzadenesheli, Anandkumar, "signSGD with Majority
// Vote is Communication Efficient and Fault Tolerant", arXiv 1810.05291, algorithm 1; the vote is
// counted on every rank after an all-gather, as in the study of arXiv 2103.00543. No memory.
//
// The result is the vote, not an average: +1 where more ranks are positive, -1 where more are
// negative, 0 on a tie (an even number of ranks alone). What counts as positive: signs.hpp. A
// rank's infinity is one vote with its sign.

#include "compressors/reference/reference_registry.hpp"
#include "compressors/reference/signs.hpp"

namespace gradwire {
namespace {

class SignSgd : public Reference {
 public:
  std::vector<WireMessage> encode(int, std::span<const float> gradient, int) override {
    return {make_message(DType::kInt32, packed_signs(gradient))};
  }

  void decode(int, const std::vector<WireMessage>& results, int ranks,
              std::span<float> averaged) override {
    const std::vector<std::uint32_t> words = values_of<std::uint32_t>(results.front());
    const std::size_t words_a_rank = words.size() / static_cast<std::size_t>(ranks);
    for (std::size_t i = 0; i < averaged.size(); ++i) {
      int vote = 0;
      for (std::size_t begin = 0; begin < words.size(); begin += words_a_rank) {
        vote += is_negative(std::span{words}.subspan(begin, words_a_rank), i) ? -1 : 1;
      }
      averaged[i] = vote > 0 ? 1.0F : vote < 0 ? -1.0F : 0.0F;
    }
  }

  bool gives_average() const override { return false; }
};

}  // namespace

std::unique_ptr<Reference> make_signsgd_reference(const ReferenceSetting&) {
  return std::make_unique<SignSgd>();
}

}  // namespace gradwire
