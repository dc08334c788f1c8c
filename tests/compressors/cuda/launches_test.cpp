// How many kernels each design launches: what it was made for.

#include <gtest/gtest.h>

#include "compressors/cuda/host_grid.hpp"
#include "tests/compressors/cuda/kernel_job.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

/// Of one rank's exchange among `ranks`.
std::int64_t launches(const char* spelling, const std::vector<TensorShape>& shapes, int ranks,
                      KernelDesign design) {
  test::KernelJob kernels(spelling, shapes, ranks, test::kSeed, design);
  const auto elements = static_cast<std::size_t>(total_elements(shapes).count());
  const std::vector<std::vector<float>> gradients(static_cast<std::size_t>(ranks),
                                                  test::normal_vector(elements, 1));
  kernels.exchange(gradients);
  const std::int64_t before = host_launches;
  kernels.exchange(gradients);
  return (host_launches - before) / ranks;
}

std::vector<TensorShape> matrices_and_vectors(std::int64_t count) {
  std::vector<TensorShape> shapes;
  for (std::int64_t i = 0; i < count; ++i) {
    shapes.push_back({{10 + i, 9}});
    shapes.push_back({{10 + i}});
  }
  return shapes;
}

// Round 0: add and gather, Q orthonormalised, product; scatter, P orthonormalised. Round 1:
// product; Q taken, reconstruction.
TEST(FusedPowerSgd, LaunchesEightKernelsForAnyNumberOfTensorsAndAnyRank) {
  for (const char* spelling : {"powersgd:rank=1", "powersgd:rank=4"}) {
    for (const std::int64_t count : {1, 3, 17}) {
      EXPECT_EQ(launches(spelling, matrices_and_vectors(count), 2, KernelDesign::kFused), 8);
    }
  }
}

// A matrix: 2 and a product; 8 r - 4 and a product; 3. A vector: packed, put back, divided. And the
// division of all Q. The spec counts the same for a matrix (and 2 a vector).
TEST(StudyPowerSgd, LaunchesAsTheStudysCodeDoes) {
  for (const std::int64_t rank : {1, 2, 4}) {
    const std::string spelling = "powersgd:rank=" + std::to_string(rank);
    const std::int64_t count = 3;
    const std::int64_t a_matrix = 3 + 8 * rank - 4 + 1 + 3;
    EXPECT_EQ(launches(spelling.c_str(), matrices_and_vectors(count), 2, KernelDesign::kStudy),
              count * (a_matrix + 3) + 1);
  }
}

TEST(FusedSignSgd, LaunchesTwoKernelsForAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 9}) {
    EXPECT_EQ(launches("signsgd", test::vector_shape(100), ranks, KernelDesign::kFused), 2);
  }
}

TEST(StudySignSgd, LaunchesSixKernelsToEncodeAndSixARankToDecode) {
  for (const int ranks : {1, 2, 9}) {
    EXPECT_EQ(launches("signsgd", test::vector_shape(100), ranks, KernelDesign::kStudy),
              6 + 6 * ranks + 2);
  }
}

// Four rounds a pass of two kernels; summary and start, selection and its counter, average.
TEST(FusedMsTopK, ReadsTheGradientOnceForFourRounds) {
  for (const int rounds : {1, 4, 5, 20, 100}) {
    const std::string spelling = "mstopk:fraction=0.1,rounds=" + std::to_string(rounds);
    EXPECT_EQ(launches(spelling.c_str(), test::vector_shape(500), 3, KernelDesign::kFused),
              2 + 2 * ((rounds + 3) / 4) + 3 + 1 + 1);
  }
}

}  // namespace
}  // namespace gradwire
