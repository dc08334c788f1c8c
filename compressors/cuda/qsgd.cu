// QSGD: one kernel takes the norm of each bucket, one makes the codes of a word; one decodes. The
// reference's codes bit by bit (compressors/reference/qsgd.cpp): the same arithmetic in float32 and
// the same random numbers, unless the order of a norm's sum in double changes it, which is rounded
// to float32. No multiplication and addition may be contracted into one (nvcc: -fmad=false).

#include <cmath>

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/exchange_counter.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {
namespace {

constexpr int kWordBits = 32;

/// How codes are packed.
struct CodeShape {
  std::int64_t elements;
  int bits;             // a code
  std::int64_t bucket;  // elements

  GW_DEVICE int codes_a_word() const { return kWordBits / bits; }
  GW_DEVICE std::uint32_t sign_bit() const { return 1U << (bits - 1); }
  GW_DEVICE std::uint32_t levels() const { return sign_bit() - 1; }
};

/// Longer buckets have a block each, others a warp.
constexpr std::int64_t kBucketOfAWarp = 4096;

/// The sum of the squares in bucket `bucket` that thread `first` of `threads` takes.
GW_DEVICE double sum_of_squares(const float* gradient, CodeShape shape, std::int64_t bucket,
                                int first, int threads) {
  const std::int64_t begin = bucket * shape.bucket;
  const std::int64_t left = shape.elements - begin;
  const std::int64_t end = begin + (left < shape.bucket ? left : shape.bucket);
  double sum = 0.0;
  for (std::int64_t i = begin + first; i < end; i += threads) {
    const auto value = static_cast<double>(gradient[i]);
    sum += value * value;
  }
  return sum;
}

GW_DEVICE float norm_of(double squares) {
  const double norm = sqrt(squares);
  const bool representable = norm <= static_cast<double>(kLargestFloat);
  return representable ? static_cast<float>(norm) : not_a_number();
}

GW_KERNEL take_norms_by_block(const float* gradient, CodeShape shape, float* norms) {
  const double squares =
      block_sum(sum_of_squares(gradient, shape, block_index(), thread_index(), kThreads));
  if (thread_index() == 0) norms[block_index()] = norm_of(squares);
}

GW_KERNEL take_norms_by_warp(const float* gradient, CodeShape shape, std::int64_t buckets,
                             float* norms) {
  const std::int64_t bucket =
      std::int64_t{block_index()} * (kThreads / kWarp) + thread_index() / kWarp;
  if (bucket >= buckets) return;  // the whole warp
  const int lane = thread_index() % kWarp;
  const double squares = warp_sum(sum_of_squares(gradient, shape, bucket, lane, kWarp));
  if (lane == 0) norms[bucket] = norm_of(squares);
}

GW_DEVICE std::uint32_t code_of(CodeShape shape, float value, float norm, std::uint32_t draw) {
  if (!(norm > 0.0F)) return 0;
  const float ratio = (value < 0.0F ? -value : value) / norm;
  const float place = (ratio < 1.0F ? ratio : 1.0F) * static_cast<float>(shape.levels());
  const auto level = static_cast<std::uint32_t>(place);
  const float above = place - static_cast<float>(level);
  // draw / 2^32 < above, without rounding: a draw is whole.
  const bool up = draw < static_cast<std::uint32_t>(ceilf(above * 0x1p32F));
  const std::uint32_t code = level + (up ? 1U : 0U);
  return value < 0.0F ? code | shape.sign_bit() : code;
}

/// One thread a word.
GW_KERNEL make_codes(const float* gradient, CodeShape shape, const float* norms, RandomKey key,
                     const std::uint32_t* exchanges, std::uint32_t* words) {
  const std::int64_t word = std::int64_t{block_index()} * kThreads + thread_index();
  const std::int64_t begin = word * shape.codes_a_word();
  if (begin >= shape.elements) return;
  const std::uint32_t exchange = *exchanges;
  std::uint32_t packed = 0;
  std::array<std::uint32_t, 4> draws{};
  for (int code = 0; code < shape.codes_a_word() && begin + code < shape.elements; ++code) {
    const std::int64_t i = begin + code;
    if (code == 0 || i % 4 == 0)
      draws = random_words(key, exchange, static_cast<std::uint64_t>(i / 4));
    const std::uint32_t draw = draws[static_cast<std::size_t>(i % 4)];
    packed |= code_of(shape, gradient[i], norms[i / shape.bucket], draw) << (code * shape.bits);
  }
  words[word] = packed;
}

GW_KERNEL sum_codes(const std::uint32_t* words, std::int64_t words_a_rank, const float* norms,
                    std::int64_t norms_a_rank, CodeShape shape, int ranks, float* averaged) {
  for_each_element(shape.elements, [=](std::int64_t i) {
    const std::int64_t word = i / shape.codes_a_word();
    const int shift = static_cast<int>(i % shape.codes_a_word()) * shape.bits;
    const std::int64_t bucket = i / shape.bucket;
    float sum = 0.0F;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::uint32_t code = words[rank * words_a_rank + word] >> shift;
      const float share =
          static_cast<float>(code & shape.levels()) / static_cast<float>(shape.levels());
      const float magnitude = norms[rank * norms_a_rank + bucket] * share;
      sum += (code & shape.sign_bit()) != 0 ? -magnitude : magnitude;
    }
    averaged[i] = sum / static_cast<float>(ranks);
  });
}

class DeviceQsgd : public DeviceCompressor {
 public:
  DeviceQsgd(const DeviceSetting& setting, int bits, int bucket)
      : shape_{setting.elements(), bits, bucket},
        ranks_(setting.ranks),
        words_(blocks_for(shape_.elements, kWordBits / bits)),
        norms_(blocks_for(shape_.elements, bucket)),
        key_(own_key(setting.seed, setting.rank)) {}

  std::vector<DType> messages(int) const override { return {DType::kInt32, DType::kFloat32}; }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    auto* norms = static_cast<float*>(messages[1]);
    if (shape_.bucket > kBucketOfAWarp) {
      launch(take_norms_by_block, norms_, kThreads, stream, gradient, shape_, norms);
    } else {
      launch(take_norms_by_warp, blocks_for(norms_, kThreads / kWarp), kThreads, stream, gradient,
             shape_, norms_, norms);
    }
    launch(make_codes, blocks_for(words_, kThreads), kThreads, stream, gradient, shape_, norms,
           key_, exchanges_.get(), static_cast<std::uint32_t*>(messages[0]));
    exchanges_.advance(stream);
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    launch(sum_codes, blocks_for(shape_.elements, kElementsABlock), kThreads, stream,
           static_cast<const std::uint32_t*>(results[0]), words_,
           static_cast<const float*>(results[1]), norms_, shape_, ranks_, averaged);
  }

 private:
  CodeShape shape_;
  int ranks_;
  std::int64_t words_;  // of one rank
  std::int64_t norms_;  // of one rank
  RandomKey key_;
  ExchangeCounter exchanges_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_qsgd(const DeviceSetting& setting) {
  constexpr int kMax = 0x7fffffff;
  return std::make_unique<DeviceQsgd>(setting, setting.parameters.integer("bits", 4, 2, 16),
                                      setting.parameters.integer("bucket", 512, 1, kMax));
}

}  // namespace gradwire
