#include "compressors/spec/casts.hpp"

namespace gradwire {
namespace {

constexpr Bytes kFloat32{4};

class Cast : public Scheme {
 public:
  Cast(std::string name, Bytes element_size) : name_(std::move(name)), size_(element_size) {}

  std::string spelling() const override { return name_; }
  std::optional<Bytes> cast_size() const override { return size_; }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    const Elements elements = total_elements(tensors);
    if (elements.count() == 0) return {};
    return {{"gradients", CollectiveKind::kAllReduce, elements, size_}};
  }

  /// A cast reads one type and writes the other, in one launch over all elements each way: 4 + 2
  /// bytes an element (derived). float32 is sent as it is.
  DeviceWork work(const std::vector<TensorShape>& tensors, int) const override {
    const auto elements = static_cast<double>(total_elements(tensors).count());
    if (elements == 0.0 || size_ == kFloat32) return {};
    const PhaseWork cast{1, elements * static_cast<double>((kFloat32 + size_).count()), 0};
    return {cast, cast, {}};
  }

 private:
  std::string name_;
  Bytes size_;
};

}  // namespace

std::unique_ptr<Scheme> make_none(SchemeParameters&) {
  return std::make_unique<Cast>("none", kFloat32);
}

std::unique_ptr<Scheme> make_fp16(SchemeParameters&) {
  return std::make_unique<Cast>("fp16", Bytes{2});
}

std::unique_ptr<Scheme> make_bf16(SchemeParameters&) {
  return std::make_unique<Cast>("bf16", Bytes{2});
}

}  // namespace gradwire
