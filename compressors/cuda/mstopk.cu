// MSTop-K: the threshold of the reference's bisection (compressors/reference/mstopk.cpp) without
// the host. Four of its rounds are one pass over the elements: each is counted between the 15
// thresholds that these rounds can ask for, and one thread then walks the four steps down. The same
// thresholds, but for the order of the mean's sum in double, so the same selection.

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/exchange_counter.hpp"
#include "compressors/cuda/magnitude_key.hpp"
#include "compressors/cuda/selected_elements.hpp"

namespace gradwire {
namespace {

constexpr int kRoundsAPass = 4;
constexpr int kBins = 1 << kRoundsAPass;  // between kBins - 1 thresholds
constexpr int kCountedAThread = 64;       // at most 255: bins are counted in bytes
constexpr std::int64_t kCountedABlock = std::int64_t{kCountedAThread} * kThreads;

/// What the bisection knows.
struct ThresholdSearch {
  double mean = 0.0;
  double maximum = 0.0;
  double low = 0.0;  // ratios between mean and maximum
  double high = 1.0;
  std::uint32_t keys[kBins] = {};  // of this pass: keys[j], 1 <= j < kBins, ascending
  std::uint32_t reached_by_few = kAboveEveryKey;
  std::uint32_t reached_by_many = 0;
};

/// Per block the sum and the largest of the magnitudes.
GW_KERNEL sum_magnitudes(const float* vector, std::int64_t elements, double* sums,
                         std::uint32_t* largest) {
  double sum = 0.0;
  std::uint32_t own = 0;
  const std::int64_t begin = block_index() * kCountedABlock;
  for (std::int64_t i = begin + thread_index(); i < begin + kCountedABlock; i += kThreads) {
    if (i >= elements) break;
    const std::uint32_t key = magnitude_key(vector[i]);
    sum += static_cast<double>(float_of_bits(key));
    if (key > own) own = key;
  }
  sum = block_sum(sum);
  own = block_largest(own);
  if (thread_index() != 0) return;
  sums[block_index()] = sum;
  largest[block_index()] = own;
}

/// The smallest key of at least `threshold`, so that comparing keys is comparing magnitudes.
GW_DEVICE std::uint32_t key_from(double threshold) {
  const auto rounded = static_cast<float>(threshold);
  const std::uint32_t key = bits_of_float(rounded);
  return static_cast<double>(rounded) < threshold ? key + 1 : key;
}

GW_DEVICE double middle(double low, double high) { return low + (high - low) / 2.0; }

/// The keys that `levels` rounds can ask for, from the ratios that they start with; the others are
/// above every key. keys[kBins / 2] is the first round's.
GW_DEVICE void set_keys(ThresholdSearch& search, int levels) {
  double ratios[kBins + 1];
  ratios[0] = search.low;
  ratios[kBins] = search.high;
  for (int j = 1; j < kBins; ++j) search.keys[j] = kAboveEveryKey;
  for (int level = 0, step = kBins; level < levels; ++level, step /= 2) {
    for (int j = step / 2; j < kBins; j += step) {
      ratios[j] = middle(ratios[j - step / 2], ratios[j + step / 2]);
      search.keys[j] = key_from(search.mean + ratios[j] * (search.maximum - search.mean));
    }
  }
  // Bins are searched in ascending keys: what no round asks for repeats its lower neighbour.
  search.keys[0] = 0;
  for (int j = 1; j < kBins; ++j) {
    if (search.keys[j] == kAboveEveryKey) search.keys[j] = search.keys[j - 1];
  }
}

/// One block.
GW_KERNEL start_search(const double* sums, const std::uint32_t* largest, std::int64_t blocks,
                       std::int64_t elements, int levels, ThresholdSearch* search) {
  double sum = 0.0;
  std::uint32_t key = 0;
  for (std::int64_t i = thread_index(); i < blocks; i += kThreads) {
    sum += sums[i];
    if (largest[i] > key) key = largest[i];
  }
  sum = block_sum(sum);
  key = block_largest(key);
  if (thread_index() != 0) return;
  ThresholdSearch start;
  start.mean = sum / static_cast<double>(elements);
  start.maximum = static_cast<double>(float_of_bits(key));
  set_keys(start, levels);
  *search = start;
}

/// counts[j] += elements between keys[j] and keys[j + 1].
GW_KERNEL count_bins(const float* vector, std::int64_t elements, const ThresholdSearch* search,
                     std::uint32_t* counts) {
  GW_SHARED std::uint32_t keys[kBins];
  GW_SHARED std::uint32_t bins[kBins];
  if (thread_index() < kBins) {
    keys[thread_index()] = search->keys[thread_index()];
    bins[thread_index()] = 0;
  }
  sync_block();
  std::uint64_t low_bins = 0;  // eight counters of a byte each
  std::uint64_t high_bins = 0;
  const std::int64_t begin = block_index() * kCountedABlock;
  for (std::int64_t i = begin + thread_index(); i < begin + kCountedABlock; i += kThreads) {
    if (i >= elements) break;
    const std::uint32_t key = magnitude_key(vector[i]);
    int bin = 0;
    for (int step = kBins / 2; step > 0; step /= 2) {
      if (key >= keys[bin + step]) bin += step;
    }
    const std::uint64_t one = std::uint64_t{1} << (bin % 8 * 8);
    if (bin < 8) {
      low_bins += one;
    } else {
      high_bins += one;
    }
  }
  for (int bin = 0; bin < kBins; ++bin) {
    const std::uint64_t packed = bin < 8 ? low_bins : high_bins;
    const auto count = static_cast<std::uint32_t>(packed >> (bin % 8 * 8) & 0xff);
    if (count != 0) atomic_add(&bins[bin], count);
  }
  sync_block();
  if (thread_index() < kBins && bins[thread_index()] != 0) {
    atomic_add(&counts[thread_index()], bins[thread_index()]);
  }
}

/// One thread works: `levels` rounds of bisection by the counts of their thresholds, which are left
/// zero, and the keys of the `next_levels` rounds behind.
GW_KERNEL narrow(std::int64_t k, int levels, int next_levels, std::uint32_t* counts,
                 ThresholdSearch* search, SelectionBounds* bounds) {
  if (thread_index() != 0) return;
  ThresholdSearch now = *search;
  std::int64_t reached[kBins];  // elements of at least keys[j]
  std::int64_t sum = 0;
  for (int j = kBins - 1; j >= 0; --j) {
    sum += counts[j];
    reached[j] = sum;
    counts[j] = 0;
  }
  int at = kBins / 2;
  for (int level = 0, step = kBins / 4; level < levels; ++level, step /= 2) {
    const double ratio = middle(now.low, now.high);
    if (reached[at] <= k) {
      now.high = ratio;
      now.reached_by_few = now.keys[at];
      at -= step;
    } else {
      now.low = ratio;
      now.reached_by_many = now.keys[at];
      at += step;
    }
  }
  *bounds = {now.reached_by_few, now.reached_by_many};
  set_keys(now, next_levels);
  *search = now;
}

class DeviceMsTopK : public DeviceCompressor {
 public:
  DeviceMsTopK(const DeviceSetting& setting, int rounds)
      : elements_(setting.elements()),
        k_(setting.transfers[0].elements.count()),
        index_bytes_(setting.transfers[1].element_size.count()),
        ranks_(setting.ranks),
        rounds_(rounds),
        sums_(static_cast<std::size_t>(blocks_for(elements_, kCountedABlock))),
        largest_(sums_.size()),
        counts_(kBins),
        search_(1),
        bounds_(1),
        selected_(elements_, k_, index_bytes_, SelectedElements::Run::kRandom,
                  own_key(setting.seed, setting.rank)) {}

  std::vector<DType> messages(int) const override {
    return {DType::kFloat32, index_type(index_bytes_)};
  }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    const auto blocks = static_cast<std::int64_t>(sums_.size());
    launch(sum_magnitudes, blocks, kThreads, stream, gradient, elements_, sums_.get(),
           largest_.get());
    launch(start_search, 1, kThreads, stream, sums_.get(), largest_.get(), blocks, elements_,
           levels_of(0), search_.get());
    for (int round = 0; round < rounds_; round += kRoundsAPass) {
      launch(count_bins, blocks, kThreads, stream, gradient, elements_, search_.get(),
             counts_.get());
      launch(narrow, 1, kWarp, stream, k_, levels_of(round), levels_of(round + kRoundsAPass),
             counts_.get(), search_.get(), bounds_.get());
    }
    selected_.write(gradient, nullptr, bounds_.get(), exchanges_.get(),
                    static_cast<float*>(messages[0]), messages[1], stream);
    exchanges_.advance(stream);
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    average_selected(static_cast<const float*>(results[0]), results[1], index_bytes_, k_, ranks_,
                     elements_, averaged, stream);
  }

 private:
  int levels_of(int round) const {
    return rounds_ - round < kRoundsAPass ? (rounds_ > round ? rounds_ - round : 0) : kRoundsAPass;
  }

  std::int64_t elements_;
  std::int64_t k_;
  std::int64_t index_bytes_;
  int ranks_;
  int rounds_;
  DeviceArray<double> sums_;  // of magnitudes, by block
  DeviceArray<std::uint32_t> largest_;
  DeviceArray<std::uint32_t> counts_;  // elements by bin
  DeviceArray<ThresholdSearch> search_;
  DeviceArray<SelectionBounds> bounds_;
  ExchangeCounter exchanges_;
  SelectedElements selected_;
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_device_mstopk(const DeviceSetting& setting) {
  return std::make_unique<DeviceMsTopK>(setting,
                                        setting.parameters.integer("rounds", 1, 1, 0x7fffffff));
}

}  // namespace gradwire
