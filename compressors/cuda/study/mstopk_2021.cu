// MSTop-K as the study's MsTopKReducer runs it (arXiv 2103.00543; repository
// uw-mad-dash/GradCompressionUtility, as read): an operation on the whole vector a launch, and in
// each round of the search the host waits for a count and decides. The selection is the reference's
// (compressors/reference/mstopk.cpp), its indices those above the threshold first. To decode, three
// launches a rank. The host waits rounds + 4 times.

#include "compressors/cuda/device_registry.hpp"
#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/magnitude_key.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {
namespace {

using Mask = std::uint8_t;

GW_KERNEL take_magnitudes(std::int64_t elements, const float* from, float* to) {
  for_each_element(elements,
                   [=](std::int64_t i) { to[i] = float_of_bits(magnitude_key(from[i])); });
}

/// A block's share of a sum and of a maximum.
GW_KERNEL sum_blocks(std::int64_t elements, const float* values, double* sums) {
  double sum = 0.0;
  for_each_element(elements, [&](std::int64_t i) { sum += static_cast<double>(values[i]); });
  sum = block_sum(sum);
  if (thread_index() == 0) sums[block_index()] = sum;
}

GW_KERNEL largest_of_blocks(std::int64_t elements, const float* values, double* largest) {
  GW_SHARED float of_threads[kThreads];
  float own = 0.0F;
  for_each_element(elements, [&](std::int64_t i) { own = values[i] > own ? values[i] : own; });
  of_threads[thread_index()] = own;
  sync_block();
  if (thread_index() != 0) return;
  for (const float value : of_threads) own = value > own ? value : own;
  largest[block_index()] = static_cast<double>(own);
}

/// Where magnitudes are at least `from` and below `to`.
GW_KERNEL mark(std::int64_t elements, const float* magnitudes, double from, double to,
               Mask* marks) {
  for_each_element(elements, [=](std::int64_t i) {
    const auto magnitude = static_cast<double>(magnitudes[i]);
    marks[i] = magnitude >= from && magnitude < to ? 1 : 0;
  });
}

GW_KERNEL count_marks(std::int64_t elements, const Mask* marks, double* counts) {
  double count = 0.0;
  for_each_element(elements, [&](std::int64_t i) { count += marks[i]; });
  count = block_sum(count);
  if (thread_index() == 0) counts[block_index()] = count;
}

/// The places of the marks, ascending; `before`: how many are in the blocks in front.
GW_KERNEL list_marks(std::int64_t elements, const Mask* marks, const double* before,
                     std::int64_t* places) {
  if (thread_index() != 0) return;
  auto to = static_cast<std::int64_t>(before[block_index()]);
  const std::int64_t begin = std::int64_t{block_index()} * kElementsABlock;
  for (std::int64_t i = begin; i < begin + kElementsABlock && i < elements; ++i) {
    if (marks[i] != 0) places[to++] = i;
  }
}

template <class Index>
GW_KERNEL take_values(std::int64_t count, const float* gradient, const std::int64_t* places,
                      float* values, Index* indices) {
  for_each_element(count, [=](std::int64_t i) {
    values[i] = gradient[places[i]];
    indices[i] = static_cast<Index>(places[i]);
  });
}

template <class Index>
GW_KERNEL gather(std::int64_t count, const Index* indices, const float* from, float* to) {
  for_each_element(count, [=](std::int64_t i) { to[i] = from[indices[i]]; });
}

GW_KERNEL add_values(std::int64_t count, const float* values, float* to) {
  for_each_element(count, [=](std::int64_t i) { to[i] += values[i]; });
}

template <class Index>
GW_KERNEL scatter(std::int64_t count, const Index* indices, const float* from, float* to) {
  for_each_element(count, [=](std::int64_t i) { to[indices[i]] = from[i]; });
}

GW_KERNEL divide(std::int64_t elements, float divisor, float* values) {
  for_each_element(elements, [=](std::int64_t i) { values[i] /= divisor; });
}

class StudyMsTopK : public DeviceCompressor {
 public:
  StudyMsTopK(const DeviceSetting& setting, int rounds)
      : elements_(setting.elements()),
        k_(setting.transfers[0].elements.count()),
        index_bytes_(setting.transfers[1].element_size.count()),
        ranks_(setting.ranks),
        rounds_(rounds),
        key_(own_key(setting.seed, setting.rank)),
        magnitudes_(static_cast<std::size_t>(elements_)),
        marks_(static_cast<std::size_t>(elements_)),
        places_(static_cast<std::size_t>(elements_)),
        by_block_(static_cast<std::size_t>(blocks_for(elements_, kElementsABlock))),
        current_(static_cast<std::size_t>(k_)) {}

  std::vector<DType> messages(int) const override {
    return {DType::kFloat32, index_bytes_ == 8 ? DType::kInt64 : DType::kInt32};
  }

  void encode(int, const float* gradient, std::span<void* const> messages, Stream stream) override {
    launch_each(take_magnitudes, elements_, stream, gradient, magnitudes_.get());
    const Bounds bounds = search(stream);
    const std::int64_t taken = list(bounds.reached_by_few, kNoBound, places_.get(), stream);
    const std::int64_t missing = k_ - taken;
    // Those between, behind the taken; the run begins at a random one of them.
    std::int64_t* between = places_.get() + taken;
    const std::int64_t found = list(bounds.reached_by_many, bounds.reached_by_few, between, stream);
    const auto choices = static_cast<std::uint64_t>(found - missing + 1);
    const auto first =
        static_cast<std::int64_t>(random_below(random_bits(key_, exchange_++, 0)[0], choices));
    take(gradient, 0, places_.get(), taken, messages, stream);
    take(gradient, taken, between + first, missing, messages, stream);
  }

  void decode(int, std::span<void* const> results, float* averaged, Stream stream) override {
    clear_on_device(averaged, static_cast<std::size_t>(elements_) * sizeof(float), stream);
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto* values = static_cast<const float*>(results[0]) + rank * k_;
      if (index_bytes_ == 8) {
        add_rank(values, static_cast<const std::int64_t*>(results[1]) + rank * k_, averaged,
                 stream);
      } else {
        add_rank(values, static_cast<const std::uint32_t*>(results[1]) + rank * k_, averaged,
                 stream);
      }
    }
    launch_each(divide, elements_, stream, static_cast<float>(ranks_), averaged);
  }

  bool waits_for_device() const override { return true; }

 private:
  static constexpr double kNoBound = 1e300;  // above every magnitude

  struct Bounds {
    double reached_by_few = kNoBound;
    double reached_by_many = 0.0;
  };

  Bounds search(Stream stream) {
    launch_each(sum_blocks, elements_, stream, magnitudes_.get(), by_block_.get());
    const double mean = total(stream) / static_cast<double>(elements_);
    launch_each(largest_of_blocks, elements_, stream, magnitudes_.get(), by_block_.get());
    double maximum = 0.0;
    for (const double value : by_block_.on_host(stream))
      maximum = value > maximum ? value : maximum;
    Bounds bounds;
    double low = 0.0;
    double high = 1.0;
    for (int round = 0; round < rounds_; ++round) {
      const double ratio = low + (high - low) / 2.0;
      const double threshold = mean + ratio * (maximum - mean);
      if (count(threshold, kNoBound, stream) <= static_cast<double>(k_)) {
        high = ratio;
        bounds.reached_by_few = threshold;
      } else {
        low = ratio;
        bounds.reached_by_many = threshold;
      }
    }
    return bounds;
  }

  /// Of the blocks; waits.
  double total(Stream stream) const {
    double sum = 0.0;
    for (const double value : by_block_.on_host(stream)) sum += value;
    return sum;
  }

  double count(double from, double to, Stream stream) {
    launch_each(mark, elements_, stream, magnitudes_.get(), from, to, marks_.get());
    launch_each(count_marks, elements_, stream, marks_.get(), by_block_.get());
    return total(stream);
  }

  /// Writes the places between the bounds to `places`; waits for how many there are.
  std::int64_t list(double from, double to, std::int64_t* places, Stream stream) {
    launch_each(mark, elements_, stream, magnitudes_.get(), from, to, marks_.get());
    launch_each(count_marks, elements_, stream, marks_.get(), by_block_.get());
    std::vector<double> before = by_block_.on_host(stream);
    double sum = 0.0;
    for (double& block : before) {
      const double own = block;
      block = sum;
      sum += own;
    }
    copy_to_device(by_block_.get(), before.data(), before.size() * sizeof(double), stream);
    launch_each(list_marks, elements_, stream, marks_.get(), by_block_.get(), places);
    return static_cast<std::int64_t>(sum);
  }

  /// The values and indices of `count` places, from the `to`-th of the message on.
  void take(const float* gradient, std::int64_t to, const std::int64_t* places, std::int64_t count,
            std::span<void* const> messages, Stream stream) const {
    float* values = static_cast<float*>(messages[0]) + to;
    if (index_bytes_ == 8) {
      launch_each(take_values<std::int64_t>, count, stream, gradient, places, values,
                  static_cast<std::int64_t*>(messages[1]) + to);
    } else {
      launch_each(take_values<std::uint32_t>, count, stream, gradient, places, values,
                  static_cast<std::uint32_t*>(messages[1]) + to);
    }
  }

  template <class Index>
  void add_rank(const float* values, const Index* indices, float* averaged, Stream stream) {
    launch_each(gather<Index>, k_, stream, indices, averaged, current_.get());
    launch_each(add_values, k_, stream, values, current_.get());
    launch_each(scatter<Index>, k_, stream, indices, current_.get(), averaged);
  }

  std::int64_t elements_;
  std::int64_t k_;
  std::int64_t index_bytes_;
  int ranks_;
  int rounds_;
  RandomKey key_;
  std::uint32_t exchange_ = 0;
  DeviceArray<float> magnitudes_;
  DeviceArray<Mask> marks_;
  DeviceArray<std::int64_t> places_;
  DeviceArray<double> by_block_;
  DeviceArray<float> current_;  // of k elements
};

}  // namespace

std::unique_ptr<DeviceCompressor> make_study_mstopk(const DeviceSetting& setting) {
  return std::make_unique<StudyMsTopK>(setting,
                                       setting.parameters.integer("rounds", 1, 1, 0x7fffffff));
}

}  // namespace gradwire
