#include "compressors/spec/signsgd.hpp"

namespace gradwire {
namespace {

constexpr std::int64_t kSignsAWord = 32;

class SignSgd : public Scheme {
 public:
  std::string spelling() const override { return "signsgd"; }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    Elements elements{0};
    for (const TensorShape& tensor : tensors) elements += tensor.elements();
    if (elements.count() == 0) return {};
    const Elements words{ceil_divide(elements.count(), kSignsAWord)};
    return {{"signs", CollectiveKind::kAllGather, words, Bytes{4}}};
  }
};

}  // namespace

std::unique_ptr<Scheme> make_signsgd(SchemeParameters&) { return std::make_unique<SignSgd>(); }

}  // namespace gradwire
