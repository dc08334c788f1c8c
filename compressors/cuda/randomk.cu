// Random-k with memory: each thread draws its elements by itself (RandomChoice). The reference's
// selection exactly (compressors/reference/randomk.cpp); with shared_seed the values are
// all-reduced, and only the order of that sum may differ.

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/exchange_counter.hpp"
#include "compressors/cuda/selected_elements.hpp"

namespace gradwire {
namespace {

/// `indices` null: not written.
template <class Index>
GW_KERNEL take_random(std::int64_t elements, std::int64_t k, RandomKey key,
                      const std::uint32_t* exchange, float* memory, float* values, Index* indices) {
  const RandomChoice choice(key, *exchange, static_cast<std::uint64_t>(elements),
                            static_cast<std::uint64_t>(k));
  for_each_element(k, [=](std::int64_t i) {
    const std::uint64_t index = choice[static_cast<std::uint64_t>(i)];
    values[i] = memory[index];
    memory[index] = 0.0F;
    if (indices != nullptr) indices[i] = static_cast<Index>(index);
  });
}

/// The values of this exchange's choice, which all ranks share, at their places of `averaged`.
GW_KERNEL place_random(const float* sums, std::int64_t elements, std::int64_t k, RandomKey key,
                       const std::uint32_t* exchange, float ranks, float* averaged) {
  const RandomChoice choice(key, *exchange, static_cast<std::uint64_t>(elements),
                            static_cast<std::uint64_t>(k));
  for_each_element(k, [=](std::int64_t i) {
    averaged[choice[static_cast<std::uint64_t>(i)]] = sums[i] / ranks;
  });
}

class DeviceRandomK : public DeviceCompressor {
 public:
  DeviceRandomK(const DeviceSetting& setting, bool shared_seed)
      : elements_(setting.elements()),
        k_(setting.transfers[0].elements.count()),
        index_bytes_(shared_seed ? 0 : setting.transfers[1].element_size.count()),
        ranks_(setting.ranks),
        key_(shared_seed ? shared_key(setting.seed) : own_key(setting.seed, setting.rank)),
        memory_(static_cast<std::size_t>(elements_)) {}

  std::vector<DType> messages(int) const override {
    if (index_bytes_ == 0) return {DType::kFloat32};
    return {DType::kFloat32, index_type(index_bytes_)};
  }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    add_gradient(gradient, elements_, memory_.get(), stream);
    void* indices = index_bytes_ == 0 ? nullptr : messages[1];
    const auto take_as = [&](auto* typed, auto kernel) {
      launch(kernel, blocks_for(k_, kElementsABlock), kThreads, stream, elements_, k_, key_,
             exchanges_.get(), memory_.get(), static_cast<float*>(messages[0]), typed);
    };
    if (index_bytes_ == 8) {
      take_as(static_cast<std::int64_t*>(indices), take_random<std::int64_t>);
    } else {
      take_as(static_cast<std::uint32_t*>(indices), take_random<std::uint32_t>);
    }
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    const auto* values = static_cast<const float*>(results[0]);
    if (index_bytes_ == 0) {
      clear_on_device(averaged, static_cast<std::size_t>(elements_) * sizeof(float), stream);
      launch(place_random, blocks_for(k_, kElementsABlock), kThreads, stream, values, elements_, k_,
             key_, exchanges_.get(), static_cast<float>(ranks_), averaged);
    } else {
      average_selected(values, results[1], index_bytes_, k_, ranks_, elements_, averaged, stream);
    }
    exchanges_.advance(stream);
  }

  const float* memory() const override { return memory_.get(); }

 private:
  std::int64_t elements_;
  std::int64_t k_;
  std::int64_t index_bytes_;  // 0: all ranks choose the same, no index is sent
  int ranks_;
  RandomKey key_;
  DeviceArray<float> memory_;
  ExchangeCounter exchanges_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_randomk(const DeviceSetting& setting) {
  return std::make_unique<DeviceRandomK>(setting, setting.parameters.truth("shared_seed", true));
}

}  // namespace gradwire
