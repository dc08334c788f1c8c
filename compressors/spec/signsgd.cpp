#include "compressors/spec/signsgd.hpp"

namespace gradwire {
namespace {

constexpr std::int64_t kSignsAWord = 32;

class SignSgd : public Scheme {
 public:
  std::string spelling() const override { return "signsgd"; }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    const Elements elements = total_elements(tensors);
    if (elements.count() == 0) return {};
    const Elements words{ceil_divide(elements.count(), kSignsAWord)};
    return {{"signs", CollectiveKind::kAllGather, words, Bytes{4}}};
  }

  /// SignCompressor and the vote loop. Encode: sign, pad, cast to int32, pack and their
  /// allocations, about 6 launches and 28 bytes an element. Decode, for each rank: ones, unpack,
  /// add, negate, cast, sum, 6 launches and about 45 bytes an element; then the sign of the sum,
  /// 8 bytes. Packing the tensors into one vector and copying them back are not counted.
  DeviceWork work(const std::vector<TensorShape>& tensors, int ranks) const override {
    const auto elements = static_cast<double>(total_elements(tensors).count());
    if (elements == 0.0) return {};
    return {{6, 28.0 * elements, 0}, {6L * ranks + 1, (45.0 * ranks + 8.0) * elements, 0}, {}};
  }
};

class EfSignSgd : public SignSgd {
 public:
  std::string spelling() const override { return "ef-signsgd"; }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    std::vector<Transfer> transfers = SignSgd::transfers(tensors);
    if (!transfers.empty()) {
      transfers.push_back({"scale", CollectiveKind::kAllGather, Elements{1}, Bytes{4}});
    }
    return transfers;
  }

  /// Derived: no published code was read; signSGD's, and with every operation a launch of its own,
  /// before: memory added (12 bytes an element), absolute values (8), their mean (4); after: signs
  /// (8), times the scale (8), taken from the memory (12). Decode: for each rank one more, times
  /// its scale, 8 bytes; at the end a division in the place of the vote's sign.
  DeviceWork work(const std::vector<TensorShape>& tensors, int ranks) const override {
    const auto elements = static_cast<double>(total_elements(tensors).count());
    if (elements == 0.0) return {};
    return {{12, 80.0 * elements, 0}, {7L * ranks + 1, (53.0 * ranks + 8.0) * elements, 0}, {}};
  }
};

}  // namespace

std::unique_ptr<Scheme> make_signsgd(SchemeParameters&) { return std::make_unique<SignSgd>(); }

std::unique_ptr<Scheme> make_ef_signsgd(SchemeParameters&) { return std::make_unique<EfSignSgd>(); }

}  // namespace gradwire
