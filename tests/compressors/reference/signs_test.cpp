#include "compressors/reference/signs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Signs, StandFromTheLowestBitOfTheFirstWordOn) {
  std::vector<float> values(34, 1.0F);
  values[0] = -1.0F;
  values[5] = -1e-45F;  // a subnormal is below zero too
  values[31] = -kInfinity;
  values[33] = -2.0F;
  EXPECT_EQ(packed_signs(values), (std::vector<std::uint32_t>{0x80000021U, 0x2U}));
  EXPECT_EQ(packed_signs(std::vector<float>{0.0F, -0.0F, kNan}), std::vector<std::uint32_t>{0});
}

// Counts the values themselves, of which a third is a zero, a NaN or an infinity.
TEST(MajorityVote, IsThatOfABruteForceCount) {
  const std::array kValues = {-2.0F, -1.0F, -0.5F,      0.5F,      1.0F, 2.0F,
                              0.0F,  -0.0F, -kInfinity, kInfinity, kNan, -1e-45F};
  for (const int ranks : {1, 2, 3, 4, 5, 8}) {
    test::Random random(static_cast<std::uint64_t>(ranks), 0);
    std::vector<std::vector<float>> gradients(static_cast<std::size_t>(ranks));
    for (std::vector<float>& gradient : gradients) {
      for (int i = 0; i < 500; ++i) gradient.push_back(kValues[random.below(kValues.size())]);
    }
    const std::vector<float> vote = test::exchange_once("signsgd", gradients);
    int ties = 0;
    for (std::size_t i = 0; i < vote.size(); ++i) {
      int below = 0;
      for (const std::vector<float>& gradient : gradients) below += gradient[i] < 0.0F ? 1 : 0;
      const int others = ranks - below;
      EXPECT_EQ(vote[i], below > others ? -1.0F : below < others ? 1.0F : 0.0F) << i;
      ties += below == others ? 1 : 0;
    }
    EXPECT_EQ(ties > 0, ranks % 2 == 0);
  }
}

TEST(EfSignSgd, SendsTheMeanMagnitudeWithTheSigns) {
  // (1 + 3 + 0 + 4) / 4 = 2; a zero counts as positive.
  std::vector<RankReference> job = test::make_job("ef-signsgd", {{{4}}}, 1);
  EXPECT_EQ(exchange_gradients(job, {{1, -3, 0, 4}}).front(), (std::vector<float>{2, -2, 2, 2}));
  const std::span<const float> memory = job.front().reference->memory();
  EXPECT_EQ(std::vector<float>(memory.begin(), memory.end()), (std::vector<float>{-1, -1, -2, 2}));
  // Then 1 - 1, 1 - 1, 1 - 2, 1 + 2: mean magnitude 1.
  EXPECT_EQ(exchange_gradients(job, {{1, 1, 1, 1}}).front(), (std::vector<float>{1, 1, -1, 1}));
}

// |p - C(p)|^2 = |p|^2 - |p|_1^2 / n: arXiv 1901.09847 bounds it by the density of p; it is an
// equality.
TEST(EfSignSgd, ContractsByTheDensityOfTheVector) {
  const std::vector<float> vector = test::normal_vector(1000, 5);
  double magnitudes = 0.0;
  for (const float value : vector) magnitudes += std::fabs(static_cast<double>(value));
  const double expected = test::squared_length(vector) - magnitudes * magnitudes / 1000.0;
  EXPECT_NEAR(test::squared_distance(test::exchange_once("ef-signsgd", {vector}), vector), expected,
              1e-4 * expected);
}

}  // namespace
}  // namespace gradwire
