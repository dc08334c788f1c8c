#include "compressors/spec/casts.hpp"

namespace gradwire {
namespace {

class Cast : public Scheme {
 public:
  Cast(std::string name, Bytes element_size) : name_(std::move(name)), size_(element_size) {}

  std::string spelling() const override { return name_; }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    Elements elements{0};
    for (const TensorShape& tensor : tensors) elements += tensor.elements();
    if (elements.count() == 0) return {};
    return {{"gradients", CollectiveKind::kAllReduce, elements, size_}};
  }

 private:
  std::string name_;
  Bytes size_;
};

}  // namespace

std::unique_ptr<Scheme> make_none(SchemeParameters&) {
  return std::make_unique<Cast>("none", Bytes{4});
}

std::unique_ptr<Scheme> make_fp16(SchemeParameters&) {
  return std::make_unique<Cast>("fp16", Bytes{2});
}

std::unique_ptr<Scheme> make_bf16(SchemeParameters&) {
  return std::make_unique<Cast>("bf16", Bytes{2});
}

}  // namespace gradwire
