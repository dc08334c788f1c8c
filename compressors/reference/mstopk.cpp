// MSTop-K: k large elements by a threshold found in rounds. Shi et al., "Towards Scalable
// Distributed Training of Deep Learning on Public Cloud Clusters", arXiv 2101.00505, algorithm 1,
// as the study of arXiv 2103.00543 runs it: no memory.
//
// The threshold is searched by bisection between the mean and the maximum magnitude. After the last
// round every element above the nearest threshold that at most k elements reach is taken, and a run
// of neighbours, from a random place on, of those between it and the nearest threshold that more
// than k reach. Where no threshold of either kind was met (more than k elements above the mean are
// all equal; fewer than k are above the mean) it is infinite or 0. So exactly k are taken, and of
// an all-equal gradient a random run. NaN and infinities as in selection.hpp.

#include <algorithm>
#include <limits>

#include "compressors/reference/random.hpp"
#include "compressors/reference/selection.hpp"

namespace gradwire {
namespace {

struct Thresholds {
  double reached_by_few = std::numeric_limits<double>::infinity();  ///< by at most k elements
  double reached_by_many = 0.0;                                     ///< by more than k, or all
};

Thresholds find_thresholds(const std::vector<float>& magnitudes, std::int64_t k, int rounds) {
  double sum = 0.0;
  for (const float magnitude : magnitudes) sum += static_cast<double>(magnitude);
  const double mean = sum / static_cast<double>(magnitudes.size());
  const double maximum = *std::max_element(magnitudes.begin(), magnitudes.end());

  Thresholds found;
  double low = 0.0;
  double high = 1.0;
  for (int round = 0; round < rounds; ++round) {
    const double ratio = low + (high - low) / 2.0;
    const double threshold = mean + ratio * (maximum - mean);
    const auto reached = std::count_if(magnitudes.begin(), magnitudes.end(), [&](float magnitude) {
      return static_cast<double>(magnitude) >= threshold;
    });
    if (reached <= k) {
      high = ratio;
      found.reached_by_few = threshold;
    } else {
      low = ratio;
      found.reached_by_many = threshold;
    }
  }
  return found;
}

class MsTopK : public Selection {
 public:
  explicit MsTopK(const ReferenceSetting& setting)
      : Selection(setting, Memory::kNone),
        rounds_(setting.parameters.integer("rounds", 1, 1, std::numeric_limits<int>::max())),
        key_(own_key(setting.seed, setting.rank)) {}

 private:
  std::vector<std::int64_t> select(std::span<const float> vector, std::int64_t k) override {
    std::vector<float> magnitudes;
    for (const float value : vector) magnitudes.push_back(selection_magnitude(value));
    const Thresholds thresholds = find_thresholds(magnitudes, k, rounds_);

    std::vector<std::int64_t> taken;
    std::vector<std::int64_t> between;
    for (std::size_t i = 0; i < magnitudes.size(); ++i) {
      const double magnitude = magnitudes[i];
      if (magnitude >= thresholds.reached_by_few) {
        taken.push_back(static_cast<std::int64_t>(i));
      } else if (magnitude >= thresholds.reached_by_many) {
        between.push_back(static_cast<std::int64_t>(i));
      }
    }
    const auto missing = k - static_cast<std::int64_t>(taken.size());
    const auto places = static_cast<std::int64_t>(between.size()) - missing + 1;
    const std::uint64_t place =
        random_below(random_bits(key_, exchange_++, 0)[0], static_cast<std::uint64_t>(places));
    const auto first = between.begin() + static_cast<std::int64_t>(place);
    taken.insert(taken.end(), first, first + missing);
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  int rounds_;
  RandomKey key_;
  std::uint32_t exchange_ = 0;
};

}  // namespace

std::unique_ptr<Reference> make_mstopk_reference(const ReferenceSetting& setting) {
  return std::make_unique<MsTopK>(setting);
}

}  // namespace gradwire
