#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

constexpr int kRanks = 4;
constexpr int kIterations = 20;

/// The largest difference, over the elements, between the gradients of all ranks and iterations on
/// one hand and what all ranks received times the ranks plus their memories on the other.
double largest_loss(std::string_view spelling, const std::vector<TensorShape>& shapes,
                    std::vector<float> (*make_gradient)(std::size_t, std::uint64_t)) {
  const auto elements = static_cast<std::size_t>(total_elements(shapes).count());
  std::vector<RankReference> job = test::make_job(spelling, shapes, kRanks);
  std::vector<double> balance(elements);
  for (std::uint64_t iteration = 0; iteration < kIterations; ++iteration) {
    std::vector<std::vector<float>> gradients;
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
      gradients.push_back(make_gradient(elements, 100 * iteration + rank));
      for (std::size_t i = 0; i < elements; ++i) {
        balance[i] += static_cast<double>(gradients.back()[i]);
      }
    }
    const std::vector<float> averaged = exchange_gradients(job, gradients).front();
    for (std::size_t i = 0; i < elements; ++i) {
      balance[i] -= kRanks * static_cast<double>(averaged[i]);
    }
  }
  double memory_length = 0.0;
  for (const RankReference& rank : job) {
    const std::span<const float> memory = rank.reference->memory();
    EXPECT_EQ(memory.size(), elements);
    for (std::size_t i = 0; i < elements; ++i) {
      const auto kept = static_cast<double>(memory[i]);
      EXPECT_LT(std::fabs(kept), 64.0);
      balance[i] -= kept;
      memory_length += kept * kept;
    }
  }
  EXPECT_GT(memory_length, 0.0);  // something was left to be remembered
  double largest = 0.0;
  for (const double difference : balance) largest = std::max(largest, std::fabs(difference));
  return largest;
}

std::vector<float> integers(std::size_t elements, std::uint64_t seed) {
  return test::integer_vector(elements, 3, seed);
}

// Integers below 4 x 20 x 4, divided by 4: all sums are exact in float32.
TEST(ErrorMemory, OfSelectionsKeepsExactlyWhatWasNotSent) {
  for (const char* spelling : {"topk:fraction=0.05", "topk:fraction=0.3,index_bytes=8",
                               "randomk:fraction=0.2", "randomk:fraction=0.2,shared_seed=false"}) {
    EXPECT_EQ(largest_loss(spelling, {{{10, 7}}, {{30}}}, integers), 0.0) << spelling;
  }
}

// Each of 20 iterations rounds on each of 4 ranks at most 4 times a value below 64, by at most
// 64 x 2^-24 = 3.8e-6 each: below 1.3e-3.
TEST(ErrorMemory, OfScaledSignsAndFactorsKeepsWhatWasNotSentUpToRounding) {
  for (const char* spelling : {"ef-signsgd", "powersgd:rank=1", "powersgd:rank=3"}) {
    EXPECT_LT(largest_loss(spelling, {{{10, 7}}, {{30}}}, test::normal_vector), 1.3e-3) << spelling;
  }
}

TEST(ErrorMemory, IsNotHeldBySchemesThatForget) {
  for (const char* spelling : {"none", "fp16", "bf16", "signsgd", "mstopk", "qsgd"}) {
    std::vector<RankReference> job = test::make_job(spelling, {{{100}}}, 1);
    exchange_gradients(job, {test::normal_vector(100, 1)});
    EXPECT_TRUE(job.front().reference->memory().empty()) << spelling;
  }
}

// What was left of the first gradient is larger than what the second, zero, brings.
TEST(ErrorMemory, IsSentLater) {
  std::vector<RankReference> job = test::make_job("topk:fraction=0.5", {{{4}}}, 1);
  EXPECT_EQ(exchange_gradients(job, {{4, 3, 2, 1}}).front(), (std::vector<float>{4, 3, 0, 0}));
  EXPECT_EQ(exchange_gradients(job, {{0, 0, 0, 0}}).front(), (std::vector<float>{0, 0, 2, 1}));
}

}  // namespace
}  // namespace gradwire
