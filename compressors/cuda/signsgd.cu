// signSGD with majority vote: one kernel packs, one counts the votes of all ranks. Bit by bit the
// reference's (compressors/reference/signsgd.cpp).
//
// The vote is counted for the 32 elements of a word at once: bit b of `planes[j]` is digit j of the
// number of ranks that are negative at element b. Three words are added by a full adder into a sum
// and a carry, so that most of the ranks touch the lowest planes alone (Harley and Seal's way to
// count bits: Warren, Hacker's Delight, section 5-1).

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/sign_kernels.hpp"

namespace gradwire {
namespace {

constexpr int kPlanes = 20;  // of the count: up to 2^20 - 1 ranks

GW_KERNEL pack_signs(const float* gradient, std::int64_t elements, std::uint32_t* words) {
  pack_warp(elements, words, [=](std::int64_t i) { return gradient[i] < 0.0F; });
}

/// Adds 32 one-bit numbers to the 32 counts, from plane `from` on.
GW_DEVICE void add_bits(std::uint32_t* planes, int from, std::uint32_t bits) {
  for (int plane = from; plane < kPlanes && bits != 0; ++plane) {
    const std::uint32_t carry = planes[plane] & bits;
    planes[plane] ^= bits;
    bits = carry;
  }
}

/// Per element whether its count is above, and whether it is equal to, `bound`.
GW_DEVICE void compare(const std::uint32_t* planes, std::uint32_t bound, std::uint32_t& above,
                       std::uint32_t& equal) {
  above = 0;
  equal = ~0U;
  for (int plane = kPlanes - 1; plane >= 0; --plane) {
    const std::uint32_t digit = (bound >> plane & 1) != 0 ? ~0U : 0U;
    above |= equal & planes[plane] & ~digit;
    equal &= ~(planes[plane] ^ digit);
  }
}

GW_KERNEL count_votes(const std::uint32_t* words, std::int64_t words_a_rank, int ranks,
                      std::int64_t elements, float* averaged) {
  const int lane = thread_index() % kWarp;
  const std::int64_t place = first_sign() / kWarp + lane;
  std::uint32_t planes[kPlanes] = {};
  if (place < words_a_rank) {
    const std::uint32_t* word = words + place;
    int rank = 0;
    for (; rank + 1 < ranks; rank += 2) {
      const std::uint32_t a = planes[0];
      const std::uint32_t b = word[rank * words_a_rank];
      const std::uint32_t c = word[(rank + 1) * words_a_rank];
      planes[0] = a ^ b ^ c;
      add_bits(planes, 1, (a & b) | (c & (a ^ b)));
    }
    for (; rank < ranks; ++rank) add_bits(planes, 0, word[rank * words_a_rank]);
  }
  std::uint32_t negative = 0;  // more than half of the ranks
  std::uint32_t tied = 0;
  compare(planes, static_cast<std::uint32_t>(ranks / 2), negative, tied);
  if (ranks % 2 != 0) tied = 0;

  for (int other = 0; other < kWarp; ++other) {
    const std::uint32_t negatives = warp_read(negative, other);
    const std::uint32_t ties = warp_read(tied, other);
    const std::int64_t i = first_sign() + std::int64_t{other} * kWarp + lane;
    if (i >= elements) continue;
    const float sign = (negatives >> lane & 1) != 0 ? -1.0F : 1.0F;
    averaged[i] = (ties >> lane & 1) != 0 ? 0.0F : sign;
  }
}

class DeviceSignSgd : public DeviceCompressor {
 public:
  explicit DeviceSignSgd(const DeviceSetting& setting)
      : elements_(setting.elements()), ranks_(setting.ranks) {}

  std::vector<DType> messages(int) const override { return {DType::kInt32}; }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    launch(pack_signs, blocks_for(elements_, kSignsABlock), kThreads, stream, gradient, elements_,
           static_cast<std::uint32_t*>(messages[0]));
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    launch(count_votes, blocks_for(elements_, kSignsABlock), kThreads, stream,
           static_cast<const std::uint32_t*>(results[0]), blocks_for(elements_, kWarp), ranks_,
           elements_, averaged);
  }

 private:
  std::int64_t elements_;
  int ranks_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_signsgd(const DeviceSetting& setting) {
  return std::make_unique<DeviceSignSgd>(setting);
}

}  // namespace gradwire
