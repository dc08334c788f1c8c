// signSGD as the study's SignCompressor and its vote loop launch it (arXiv 2103.00543; repository
// uw-mad-dash/GradCompressionUtility, as read): an operation on the whole vector a launch, one loop
// of them a rank. The vote is the reference's; the words are laid out as there, element i in bit
// i / words of word i mod words. Launches: 6 to encode, 6 a rank and 2 to decode.

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"

namespace gradwire {
namespace {

template <class Value>
GW_KERNEL fill(std::int64_t elements, Value value, Value* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] = value; });
}

GW_KERNEL take_sign(std::int64_t elements, const float* from, float* to) {
  for_each_element(elements, [=](std::int64_t i) {
    to[i] = from[i] < 0.0F ? -1.0F : from[i] > 0.0F ? 1.0F : 0.0F;
  });
}

GW_KERNEL copy(std::int64_t elements, const float* from, float* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] = from[i]; });
}

GW_KERNEL to_integer(std::int64_t elements, const float* from, std::int32_t* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] = static_cast<std::int32_t>(from[i]); });
}

GW_KERNEL pack(std::int64_t words, const std::int32_t* signs, std::uint32_t* to) {
  for_each_element(words, [=](std::int64_t word) {
    std::uint32_t packed = 0;
    for (int bit = 0; bit < kWarp; ++bit) {
      if (signs[bit * words + word] < 0) packed |= 1U << bit;
    }
    to[word] |= packed;
  });
}

/// Each of `to` times 2 where its bit says "below zero", else times 0.
GW_KERNEL unpack(std::int64_t elements, std::int64_t words, const std::uint32_t* from,
                 std::int32_t* to) {
  for_each_element(elements, [=](std::int64_t i) {
    to[i] *= static_cast<std::int32_t>(from[i % words] >> (i / words) & 1) * 2;
  });
}

GW_KERNEL add(std::int64_t elements, std::int32_t what, std::int32_t* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] += what; });
}

GW_KERNEL negate(std::int64_t elements, std::int32_t* values) {
  for_each_element(elements, [=](std::int64_t i) { values[i] = -values[i]; });
}

GW_KERNEL to_float(std::int64_t elements, const std::int32_t* from, float* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] = static_cast<float>(from[i]); });
}

GW_KERNEL sum(std::int64_t elements, const float* what, float* to) {
  for_each_element(elements, [=](std::int64_t i) { to[i] += what[i]; });
}

class StudySignSgd : public DeviceCompressor {
 public:
  explicit StudySignSgd(const DeviceSetting& setting)
      : elements_(setting.elements()),
        words_(blocks_for(elements_, kWarp)),
        ranks_(setting.ranks),
        signs_(static_cast<std::size_t>(elements_)),
        padded_(static_cast<std::size_t>(words_ * kWarp)),
        integers_(padded_.size()) {}

  std::vector<DType> messages(int) const override { return {DType::kInt32}; }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    auto* words = static_cast<std::uint32_t*>(messages[0]);
    launch_each(take_sign, elements_, stream, gradient, signs_.get());
    launch_each(fill<float>, words_ * kWarp, stream, 0.0F, padded_.get());
    launch_each(copy, elements_, stream, signs_.get(), padded_.get());
    launch_each(to_integer, words_ * kWarp, stream, padded_.get(), integers_.get());
    launch_each(fill<std::uint32_t>, words_, stream, 0U, words);
    launch_each(pack, words_, stream, integers_.get(), words);
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    launch_each(fill<float>, elements_, stream, 0.0F, averaged);
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto* words = static_cast<const std::uint32_t*>(results[0]) + rank * words_;
      launch_each(fill<std::int32_t>, words_ * kWarp, stream, 1, integers_.get());
      launch_each(unpack, words_ * kWarp, stream, words_, words, integers_.get());
      launch_each(add, elements_, stream, -1, integers_.get());
      launch_each(negate, elements_, stream, integers_.get());
      launch_each(to_float, elements_, stream, integers_.get(), padded_.get());
      launch_each(sum, elements_, stream, padded_.get(), averaged);
    }
    launch_each(take_sign, elements_, stream, averaged, averaged);
  }

 private:
  std::int64_t elements_;
  std::int64_t words_;  // of one rank
  int ranks_;
  DeviceArray<float> signs_;
  DeviceArray<float> padded_;  // to whole words
  DeviceArray<std::int32_t> integers_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_study_signsgd(const DeviceSetting& setting) {
  return std::make_unique<StudySignSgd>(setting);
}

}  // namespace gradwire
