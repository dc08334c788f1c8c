// fp16 and bf16, and float32 as it is: one pass each way. Bit by bit the reference's
// (compressors/reference/casts.cpp) but for the payload of a NaN.

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"

namespace gradwire {
namespace {

struct Float32Wire {
  static constexpr DType kType = DType::kFloat32;
  using Value = float;
  GW_DEVICE static float to_wire(float value) { return value; }
  GW_DEVICE static float from_wire(float value) { return value; }
};

struct Float16Wire {
  static constexpr DType kType = DType::kFloat16;
  using Value = std::uint16_t;
  GW_DEVICE static std::uint16_t to_wire(float value) { return float16_of(value); }
  GW_DEVICE static float from_wire(std::uint16_t bits) { return float_of_half(bits); }
};

struct Bfloat16Wire {
  static constexpr DType kType = DType::kBfloat16;
  using Value = std::uint16_t;
  /// To nearest, ties to even; a NaN stays one.
  GW_DEVICE static std::uint16_t to_wire(float value) {
    const std::uint32_t bits = bits_of_float(value);
    if (value != value) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  GW_DEVICE static float from_wire(std::uint16_t bits) {
    return float_of_bits(std::uint32_t{bits} << 16);
  }
};

template <class Wire>
GW_KERNEL encode_cast(const float* gradient, std::int64_t elements, float ranks,
                      typename Wire::Value* to) {
  for_each_element(elements, [=](std::int64_t i) {
    to[i] = Wire::to_wire(Wire::from_wire(Wire::to_wire(gradient[i])) / ranks);
  });
}

template <class Wire>
GW_KERNEL decode_cast(const typename Wire::Value* sum, std::int64_t elements, float* averaged) {
  for_each_element(elements, [=](std::int64_t i) { averaged[i] = Wire::from_wire(sum[i]); });
}

template <class Wire>
class DeviceCast : public DeviceCompressor {
 public:
  using Value = typename Wire::Value;

  explicit DeviceCast(const DeviceSetting& setting)
      : elements_(setting.elements()), ranks_(static_cast<float>(setting.ranks)) {}

  std::vector<DType> messages(int) const override { return {Wire::kType}; }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    launch(encode_cast<Wire>, blocks_for(elements_, kElementsABlock), kThreads, stream, gradient,
           elements_, ranks_, static_cast<Value*>(messages[0]));
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    launch(decode_cast<Wire>, blocks_for(elements_, kElementsABlock), kThreads, stream,
           static_cast<const Value*>(results[0]), elements_, averaged);
  }

 private:
  std::int64_t elements_;
  float ranks_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_none(const DeviceSetting& setting) {
  return std::make_unique<DeviceCast<Float32Wire>>(setting);
}

std::unique_ptr<DeviceCompressor> make_device_fp16(const DeviceSetting& setting) {
  return std::make_unique<DeviceCast<Float16Wire>>(setting);
}

std::unique_ptr<DeviceCompressor> make_device_bf16(const DeviceSetting& setting) {
  return std::make_unique<DeviceCast<Bfloat16Wire>>(setting);
}

}  // namespace gradwire
