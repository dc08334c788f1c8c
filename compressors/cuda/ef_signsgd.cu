// EF-signSGD: one kernel adds the gradient to the memory and its magnitudes up, one makes the
// scale, one packs the signs and takes what is sent from the memory; one decodes. The reference's
// bit by bit (compressors/reference/ef_signsgd.cpp), unless the order of its sum in double changes
// the scale, which is rounded to float32.

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/sign_kernels.hpp"

namespace gradwire {
namespace {

GW_KERNEL add_to_memory(const float* gradient, std::int64_t elements, float* memory, double* sums) {
  double sum = 0.0;
  for_each_element(elements, [&](std::int64_t i) {
    const float value = memory[i] + gradient[i];
    memory[i] = value;
    sum += static_cast<double>(value < 0.0F ? -value : value);
  });
  sum = block_sum(sum);
  if (thread_index() == 0) sums[block_index()] = sum;
}

/// One block.
GW_KERNEL make_scale(const double* sums, std::int64_t count, std::int64_t elements, float* scale) {
  double sum = 0.0;
  for (std::int64_t i = thread_index(); i < count; i += kThreads) sum += sums[i];
  sum = block_sum(sum);
  if (thread_index() != 0) return;
  const auto mean = static_cast<float>(sum / static_cast<double>(elements));
  const bool finite = mean - mean == 0.0F;
  *scale = finite ? mean : not_a_number();
}

GW_KERNEL pack_memory(std::int64_t elements, const float* scale, float* memory,
                      std::uint32_t* words) {
  const float size = *scale;
  pack_warp(elements, words, [=](std::int64_t i) {
    const float value = memory[i];
    const bool below = value < 0.0F;
    memory[i] = size != size ? 0.0F : value - (below ? -size : size);
    return below;
  });
}

GW_KERNEL sum_scaled_signs(const std::uint32_t* words, std::int64_t words_a_rank,
                           const float* scales, int ranks, std::int64_t elements, float* averaged) {
  const int lane = thread_index() % kWarp;
  const std::int64_t place = first_sign() / kWarp + lane;
  float sums[kWarp] = {};
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint32_t own = place < words_a_rank ? words[rank * words_a_rank + place] : 0;
    const float scale = scales[rank];
    for (int other = 0; other < kWarp; ++other) {
      const std::uint32_t word = warp_read(own, other);
      sums[other] += (word >> lane & 1) != 0 ? -scale : scale;
    }
  }
  for (int other = 0; other < kWarp; ++other) {
    const std::int64_t i = first_sign() + std::int64_t{other} * kWarp + lane;
    if (i < elements) averaged[i] = sums[other] / static_cast<float>(ranks);
  }
}

class DeviceEfSignSgd : public DeviceCompressor {
 public:
  explicit DeviceEfSignSgd(const DeviceSetting& setting)
      : elements_(setting.elements()),
        ranks_(setting.ranks),
        memory_(static_cast<std::size_t>(elements_)),
        sums_(static_cast<std::size_t>(blocks_for(elements_, kElementsABlock))) {}

  std::vector<DType> messages(int) const override { return {DType::kInt32, DType::kFloat32}; }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    const auto sums = static_cast<std::int64_t>(sums_.size());
    auto* scale = static_cast<float*>(messages[1]);
    launch(add_to_memory, sums, kThreads, stream, gradient, elements_, memory_.get(), sums_.get());
    launch(make_scale, 1, kThreads, stream, sums_.get(), sums, elements_, scale);
    launch(pack_memory, blocks_for(elements_, kSignsABlock), kThreads, stream, elements_, scale,
           memory_.get(), static_cast<std::uint32_t*>(messages[0]));
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    launch(sum_scaled_signs, blocks_for(elements_, kSignsABlock), kThreads, stream,
           static_cast<const std::uint32_t*>(results[0]), blocks_for(elements_, kWarp),
           static_cast<const float*>(results[1]), ranks_, elements_, averaged);
  }

  const float* memory() const override { return memory_.get(); }

 private:
  std::int64_t elements_;
  int ranks_;
  DeviceArray<float> memory_;
  DeviceArray<double> sums_;  // of magnitudes, by block
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_ef_signsgd(const DeviceSetting& setting) {
  return std::make_unique<DeviceEfSignSgd>(setting);
}

}  // namespace gradwire
