// The schemes that send every element in another (or the same) type. PyTorch's allreduce_hook,
// fp16_compress_hook and bf16_compress_hook
// (torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py): cast, divide by the number of
// ranks in the type of the wire, all-reduce, cast back.
//
// The result is the average. Infinities, NaN and float32's subnormals follow IEEE 754 arithmetic in
// the wire's type: fp16 overflows to infinity from 65520 on and loses what is below 2^-25 after the
// division.

#include "compressors/reference/float16.hpp"
#include "compressors/reference/reference_registry.hpp"

namespace gradwire {
namespace {

class Float32 : public Reference {
 public:
  std::vector<WireMessage> encode(int, std::span<const float> gradient, int ranks) override {
    std::vector<float> wire(gradient.begin(), gradient.end());
    for (float& value : wire) value /= static_cast<float>(ranks);
    return {make_message(DType::kFloat32, wire)};
  }

  void decode(int, const std::vector<WireMessage>& results, int,
              std::span<float> averaged) override {
    const std::vector<float> sum = values_of<float>(results.front());
    for (std::size_t i = 0; i < sum.size(); ++i) averaged[i] = sum[i];
  }
};

class Cast : public Reference {
 public:
  Cast(DType type, std::uint16_t (*to_wire)(float), float (*from_wire)(std::uint16_t))
      : type_(type), to_wire_(to_wire), from_wire_(from_wire) {}

  std::vector<WireMessage> encode(int, std::span<const float> gradient, int ranks) override {
    std::vector<std::uint16_t> wire;
    for (const float value : gradient) {
      wire.push_back(to_wire_(from_wire_(to_wire_(value)) / static_cast<float>(ranks)));
    }
    return {make_message(type_, wire)};
  }

  void decode(int, const std::vector<WireMessage>& results, int,
              std::span<float> averaged) override {
    const std::vector<std::uint16_t> sum = values_of<std::uint16_t>(results.front());
    for (std::size_t i = 0; i < sum.size(); ++i) averaged[i] = from_wire_(sum[i]);
  }

 private:
  DType type_;
  std::uint16_t (*to_wire_)(float);
  float (*from_wire_)(std::uint16_t);
};

}  // namespace

std::unique_ptr<Reference> make_none_reference(const ReferenceSetting&) {
  return std::make_unique<Float32>();
}

std::unique_ptr<Reference> make_fp16_reference(const ReferenceSetting&) {
  return std::make_unique<Cast>(DType::kFloat16, float16_bits, float_of_float16);
}

std::unique_ptr<Reference> make_bf16_reference(const ReferenceSetting&) {
  return std::make_unique<Cast>(DType::kBfloat16, bfloat16_bits, float_of_bfloat16);
}

}  // namespace gradwire
