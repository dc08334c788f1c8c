#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compressors/reference/random.hpp"
#include "compressors/reference/reference.hpp"

namespace gradwire::test {

constexpr std::uint64_t kSeed = 1;

/// Random numbers one after another, the same on every platform.
class Random {
 public:
  Random(std::uint64_t seed, std::uint32_t stream) : key_{seed, stream} {}

  std::uint64_t below(std::uint64_t bound) { return random_below(next()[0], bound); }
  double uniform() { return random_unit(next()[0]); }
  double normal() { return random_normal(next()); }

 private:
  std::array<std::uint64_t, 2> next() { return random_bits(key_, 0, drawn_++); }

  RandomKey key_;
  std::uint64_t drawn_ = 0;
};

/// Every scheme, with parameters that take every way through its reference.
inline constexpr std::array kSpellings = {"none",
                                          "fp16",
                                          "bf16",
                                          "powersgd:rank=2",
                                          "powersgd:rank=3,min_compression_rate=2",
                                          "signsgd",
                                          "ef-signsgd",
                                          "mstopk:fraction=0.1,rounds=5",
                                          "mstopk:fraction=0.9,rounds=5,index_bytes=8",
                                          "topk:fraction=0.01",
                                          "topk:fraction=1,index_bytes=8",
                                          "randomk:fraction=0.05",
                                          "randomk:fraction=0.05,shared_seed=false",
                                          "qsgd",
                                          "qsgd:bits=3,bucket=100"};

/// The references of `ranks` ranks.
inline std::vector<RankReference> make_job(std::string_view spelling,
                                           const std::vector<TensorShape>& shapes, int ranks,
                                           std::uint64_t seed = kSeed) {
  std::vector<RankReference> job;
  for (int rank = 0; rank < ranks; ++rank) {
    job.push_back(make_reference(spelling, shapes, seed, rank));
  }
  return job;
}

inline std::vector<TensorShape> vector_shape(std::size_t elements) {
  return {{{static_cast<std::int64_t>(elements)}}};
}

/// What rank 0 gets from the first exchange of one vector a rank.
inline std::vector<float> exchange_once(std::string_view spelling,
                                        const std::vector<std::vector<float>>& gradients,
                                        std::uint64_t seed = kSeed) {
  std::vector<RankReference> job = make_job(spelling, vector_shape(gradients.front().size()),
                                            static_cast<int>(gradients.size()), seed);
  return exchange_gradients(job, gradients).front();
}

/// Standard normal elements.
inline std::vector<float> normal_vector(std::size_t elements, std::uint64_t seed) {
  Random random(seed, 1000);
  std::vector<float> values(elements);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

/// Integers from -`bound` to `bound`, so that sums are exact.
inline std::vector<float> integer_vector(std::size_t elements, int bound, std::uint64_t seed) {
  Random random(seed, 2000);
  std::vector<float> values(elements);
  for (float& value : values) {
    value = static_cast<float>(random.below(2 * static_cast<std::uint64_t>(bound) + 1)) -
            static_cast<float>(bound);
  }
  return values;
}

inline double squared_length(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

inline double squared_distance(const std::vector<float>& one, const std::vector<float>& other) {
  double sum = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double difference = static_cast<double>(one[i]) - static_cast<double>(other[i]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace gradwire::test
