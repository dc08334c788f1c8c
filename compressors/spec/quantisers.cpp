#include "compressors/spec/quantisers.hpp"

#include <fmt/format.h>

#include <limits>

namespace gradwire {
namespace {

constexpr int kWordBits = 32;

class Qsgd : public Scheme {
 public:
  Qsgd(int bits, int bucket) : bits_(bits), bucket_(bucket) {}

  std::string spelling() const override {
    return fmt::format("qsgd:bits={},bucket={}", bits_, bucket_);
  }

  std::vector<Transfer> transfers(const std::vector<TensorShape>& tensors) const override {
    const std::int64_t elements = total_elements(tensors).count();
    if (elements == 0) return {};
    const Elements words{ceil_divide(elements, codes_a_word())};
    const Elements norms{ceil_divide(elements, bucket_)};
    return {{"codes", CollectiveKind::kAllGather, words, Bytes{4}},
            {"norms", CollectiveKind::kAllGather, norms, Bytes{4}}};
  }

  /// Derived: no published code was read; one launch an operation on 4-byte elements. Encode: norm
  /// (4 bytes an element), magnitude (8), times the levels over the norm (8), floor (8), random
  /// numbers (4), difference (12), compare (9), to float (5), sum (12), sign (8), product (12), to
  /// int32 (8), pack (4 and the code). Decode: zeros (4), for each rank unpack (4 and the code), to
  /// float (8), times the norm (8), sum (12); then a division (8). Norms are not counted.
  DeviceWork work(const std::vector<TensorShape>& tensors, int ranks) const override {
    const auto elements = static_cast<double>(total_elements(tensors).count());
    if (elements == 0.0) return {};
    const double code = 4.0 / codes_a_word();  // bytes
    return {{13, (102.0 + code) * elements, 0},
            {4L * ranks + 2, ((32.0 + code) * ranks + 12.0) * elements, 0},
            {}};
  }

 private:
  int codes_a_word() const { return kWordBits / bits_; }

  int bits_;
  int bucket_;
};

}  // namespace

std::unique_ptr<Scheme> make_qsgd(SchemeParameters& parameters) {
  const int bits = parameters.integer("bits", 4, 2, 16);
  return std::make_unique<Qsgd>(
      bits, parameters.integer("bucket", 512, 1, std::numeric_limits<int>::max()));
}

}  // namespace gradwire
