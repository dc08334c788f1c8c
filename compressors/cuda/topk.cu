// Exact top-k with memory: the key of the k-th largest magnitude by radix selection, three digits
// from the highest on, each a kernel that counts and one of a single block that chooses the digit.
// The reference's selection exactly, equal magnitudes included (compressors/reference/topk.cpp).

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/exchange_counter.hpp"
#include "compressors/cuda/magnitude_key.hpp"
#include "compressors/cuda/selected_elements.hpp"

namespace gradwire {
namespace {

constexpr int kDigits = 3;
constexpr int kBins = 2048;
constexpr int kBinsAThread = kBins / kThreads;
constexpr std::int64_t kCountedABlock = std::int64_t{64} * kThreads;

/// Lowest bit of a digit, and how many bits it has: 31 bits in all.
GW_DEVICE int shift_of_digit(int digit) { return digit == 0 ? 20 : digit == 1 ? 10 : 0; }
GW_DEVICE int bits_of_digit(int digit) { return digit == 0 ? 11 : 10; }

/// How far the search is.
struct DigitSearch {
  std::uint32_t prefix = 0;  // the digits found, the others 0
  std::int64_t left = 0;     // elements to take of those with this prefix
};

GW_KERNEL count_digit(const float* vector, std::int64_t elements, int digit,
                      const DigitSearch* search, std::uint32_t* counts) {
  GW_SHARED std::uint32_t bins[kBins];
  for (int bin = thread_index(); bin < kBins; bin += kThreads) bins[bin] = 0;
  sync_block();
  const int shift = shift_of_digit(digit);
  const int bits = bits_of_digit(digit);
  const std::uint32_t prefix = digit == 0 ? 0 : search->prefix;
  const std::int64_t begin = block_index() * kCountedABlock;
  for (std::int64_t i = begin + thread_index(); i < begin + kCountedABlock; i += kThreads) {
    if (i >= elements) break;
    const std::uint32_t key = magnitude_key(vector[i]);
    if (digit > 0 && key >> (shift + bits) != prefix >> (shift + bits)) continue;
    atomic_add(&bins[key >> shift & ((1U << bits) - 1)], 1);
  }
  sync_block();
  for (int bin = thread_index(); bin < kBins; bin += kThreads) {
    if (bins[bin] != 0) atomic_add(&counts[bin], bins[bin]);
  }
}

/// One block; leaves the counts zero. `bounds` is complete after the last digit.
GW_KERNEL choose_digit(int digit, std::int64_t k, std::uint32_t* counts, DigitSearch* search,
                       SelectionBounds* bounds) {
  GW_SHARED std::int64_t sums[kThreads];
  const DigitSearch before = digit == 0 ? DigitSearch{0, k} : *search;
  const int first = thread_index() * kBinsAThread;
  std::int64_t own = 0;
  for (int bin = first; bin < first + kBinsAThread; ++bin) own += counts[bin];
  sums[thread_index()] = own;
  sync_block();
  std::int64_t above = 0;  // elements in the bins of the threads behind
  for (int thread = thread_index() + 1; thread < kThreads; ++thread) above += sums[thread];
  for (int bin = first + kBinsAThread - 1; bin >= first; --bin) {
    const std::int64_t with = above + counts[bin];
    if (above < before.left && with >= before.left) {  // true for one bin of one thread
      const std::uint32_t prefix = before.prefix | static_cast<std::uint32_t>(bin)
                                                       << shift_of_digit(digit);
      *search = {prefix, before.left - above};
      *bounds = {prefix + 1, prefix};
    }
    above = with;
    counts[bin] = 0;
  }
}

class DeviceTopK : public DeviceCompressor {
 public:
  explicit DeviceTopK(const DeviceSetting& setting)
      : elements_(setting.elements()),
        k_(setting.transfers[0].elements.count()),
        index_bytes_(setting.transfers[1].element_size.count()),
        ranks_(setting.ranks),
        memory_(static_cast<std::size_t>(elements_)),
        counts_(kBins),
        search_(1),
        bounds_(1),
        selected_(elements_, k_, index_bytes_, SelectedElements::Run::kFirst, {}) {}

  std::vector<DType> messages(int) const override {
    return {DType::kFloat32, index_type(index_bytes_)};
  }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    add_gradient(gradient, elements_, memory_.get(), stream);
    for (int digit = 0; digit < kDigits; ++digit) {
      launch(count_digit, blocks_for(elements_, kCountedABlock), kThreads, stream, memory_.get(),
             elements_, digit, search_.get(), counts_.get());
      launch(choose_digit, 1, kThreads, stream, digit, k_, counts_.get(), search_.get(),
             bounds_.get());
    }
    selected_.write(memory_.get(), memory_.get(), bounds_.get(), exchanges_.get(),
                    static_cast<float*>(messages[0]), messages[1], stream);
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    average_selected(static_cast<const float*>(results[0]), results[1], index_bytes_, k_, ranks_,
                     elements_, averaged, stream);
  }

  const float* memory() const override { return memory_.get(); }

 private:
  std::int64_t elements_;
  std::int64_t k_;
  std::int64_t index_bytes_;
  int ranks_;
  DeviceArray<float> memory_;
  DeviceArray<std::uint32_t> counts_;  // elements by digit
  DeviceArray<DigitSearch> search_;
  DeviceArray<SelectionBounds> bounds_;
  ExchangeCounter exchanges_;
  SelectedElements selected_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_topk(const DeviceSetting& setting) {
  return std::make_unique<DeviceTopK>(setting);
}

}  // namespace gradwire
