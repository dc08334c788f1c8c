// Every kernel against its reference, through a whole exchange. Built twice: for the host
// (compressors/cuda/spmd.hpp) and, with CUDA, for a GPU, where it is skipped if there is none.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "tests/compressors/cuda/kernel_job.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Bits, with one NaN for all.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) {
    bits.push_back(std::isnan(value) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

/// A message for comparing: floats as above, all else as it is.
std::vector<std::uint32_t> bits_of(const WireMessage& message) {
  if (message.type == DType::kFloat32) return bits_of(values_of<float>(message));
  std::vector<std::uint32_t> bits;
  for (const std::byte byte : message.bytes) bits.push_back(static_cast<std::uint32_t>(byte));
  return bits;
}

/// Exchanges `gradients[exchange][rank]` by kernels and by references, and expects the same bits.
void expect_equal(std::string_view spelling,
                  const std::vector<std::vector<std::vector<float>>>& gradients) {
  const int ranks = static_cast<int>(gradients.front().size());
  const std::vector<TensorShape> shapes = test::vector_shape(gradients.front().front().size());
  std::vector<RankReference> references = test::make_job(spelling, shapes, ranks);
  test::KernelJob kernels(spelling, shapes, ranks, test::kSeed);
  for (std::size_t exchange = 0; exchange < gradients.size(); ++exchange) {
    SCOPED_TRACE(testing::Message() << spelling << ", " << gradients.front().front().size()
                                    << " elements, " << ranks << " ranks, exchange " << exchange);
    // The references step by step, to see their messages as well.
    std::vector<std::vector<WireMessage>> sent;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto own = static_cast<std::size_t>(rank);
      sent.push_back(references[own].reference->encode(0, gradients[exchange][own], ranks));
    }
    std::vector<WireMessage> results;
    for (std::size_t i = 0; i < sent.front().size(); ++i) {
      std::vector<WireMessage> contributions;
      for (const auto& messages : sent) contributions.push_back(messages[i]);
      results.push_back(collective_result(references.front().transfers[i].kind, contributions));
    }
    const test::KernelExchange by_kernels = kernels.exchange(gradients[exchange]);
    for (std::size_t rank = 0; rank < sent.size(); ++rank) {
      std::vector<float> averaged(gradients.front().front().size());
      references[rank].reference->decode(0, results, ranks, averaged);
      for (std::size_t i = 0; i < results.size(); ++i) {
        ASSERT_EQ(by_kernels.sent[rank][i].type, sent[rank][i].type);
        ASSERT_EQ(bits_of(by_kernels.sent[rank][i]), bits_of(sent[rank][i])) << "message " << i;
      }
      ASSERT_EQ(bits_of(by_kernels.averaged[rank]), bits_of(averaged));
      const std::span<const float> memory = references[rank].reference->memory();
      ASSERT_EQ(bits_of(kernels.memory(rank)),
                bits_of(std::vector<float>(memory.begin(), memory.end())));
    }
  }
}

/// Normal gradients for some exchanges.
std::vector<std::vector<std::vector<float>>> normal_gradients(std::size_t elements, int ranks,
                                                              int exchanges) {
  std::vector<std::vector<std::vector<float>>> gradients;
  std::uint64_t seed = elements;
  for (int exchange = 0; exchange < exchanges; ++exchange) {
    gradients.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      gradients.back().push_back(test::normal_vector(elements, ++seed));
    }
  }
  return gradients;
}

class Kernels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no GPU";
  }
};

TEST_P(Kernels, SendAndReceiveWhatTheReferenceDoes) {
  for (const std::size_t elements : {1U, 2U, 31U, 32U, 33U, 511U, 513U, 1024U, 1025U, 4097U}) {
    ASSERT_NO_FATAL_FAILURE(expect_equal(GetParam(), normal_gradients(elements, 3, 3)));
  }
}

TEST_P(Kernels, DoSoOverSeveralBlocksAndRegions) {
  ASSERT_NO_FATAL_FAILURE(expect_equal(GetParam(), normal_gradients(70'001, 2, 2)));
}

TEST_P(Kernels, DoSoForAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 4, 5, 8, 17}) {
    ASSERT_NO_FATAL_FAILURE(expect_equal(GetParam(), normal_gradients(700, ranks, 1)));
  }
}

TEST_P(Kernels, DoSoForSpecialValues) {
  std::vector<std::vector<float>> gradients = {
      std::vector<float>(2000, 0.0F), std::vector<float>(2000, -0.0F),
      std::vector<float>(2000, 1e-42F), std::vector<float>(2000, 3.0F),
      std::vector<float>(2000, -3e38F)};
  ASSERT_NO_FATAL_FAILURE(expect_equal(GetParam(), {gradients, gradients}));

  gradients = normal_gradients(2000, 3, 1).front();
  gradients[0][5] = kNan;
  gradients[0][1500] = -kInfinity;
  gradients[1][5] = kInfinity;
  gradients[1][6] = 65519.0F;
  gradients[2][7] = 1e-8F;
  ASSERT_NO_FATAL_FAILURE(
      expect_equal(GetParam(), {gradients, normal_gradients(2000, 3, 1).front()}));
}

// Many equal magnitudes, so that ties are broken.
TEST_P(Kernels, DoSoForFewDifferentValues) {
  std::vector<std::vector<float>> gradients;
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    gradients.push_back(test::integer_vector(5000, 3, rank));
  }
  ASSERT_NO_FATAL_FAILURE(expect_equal(GetParam(), {gradients, gradients, gradients}));
}

// More regions than the scan of their counts has threads (256 regions of 4096 elements).
TEST(SelectionKernels, DoSoOverMoreRegionsThanOneScanTakes) {
  if (device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const char* spelling : {"mstopk:fraction=0.001,rounds=8", "topk:fraction=0.001"}) {
    ASSERT_NO_FATAL_FAILURE(expect_equal(spelling, normal_gradients(1'100'000, 1, 1)));
  }
}

// The study's kernels send the same in another order; what arrives is the same.
TEST(StudyKernels, GiveTheReferencesResult) {
  if (device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const char* spelling : {"signsgd", "mstopk:fraction=0.1", "mstopk:fraction=0.01,rounds=100",
                               "mstopk:fraction=0.3,index_bytes=8"}) {
    for (const std::size_t elements : {1U, 33U, 4097U}) {
      for (const int ranks : {1, 2, 5}) {
        const std::vector<TensorShape> shapes = test::vector_shape(elements);
        std::vector<RankReference> references = test::make_job(spelling, shapes, ranks);
        test::KernelJob kernels(spelling, shapes, ranks, test::kSeed, KernelDesign::kStudy);
        for (const auto& gradients : normal_gradients(elements, ranks, 2)) {
          const auto expected = exchange_gradients(references, gradients);
          EXPECT_EQ(kernels.exchange(gradients).averaged, expected)
              << spelling << ", " << elements << " elements, " << ranks << " ranks";
        }
      }
    }
  }
}

TEST(StudyKernels, AreRefusedWhereTheStudyHasNone) {
  EXPECT_THROW(make_device_compressor("qsgd", test::vector_shape(4), 1, 0, 1, KernelDesign::kStudy),
               InputError);
}

TEST(MakeDeviceCompressor, RefusesWhatItsKernelsCannotTake) {
  EXPECT_THROW(make_device_compressor("powersgd:rank=33", {{{64, 64}}}, 1, 0, 1), InputError);
  EXPECT_THROW(make_device_compressor("nothing", test::vector_shape(4), 1, 0, 1), InputError);
  EXPECT_THROW(make_device_compressor("none", test::vector_shape(std::size_t{1} << 32), 1, 0, 1),
               InputError);
}

INSTANTIATE_TEST_SUITE_P(
    OfOneRound, Kernels,
    testing::Values("none", "fp16", "bf16", "signsgd", "ef-signsgd", "mstopk:fraction=0.1",
                    "mstopk:fraction=0.01,rounds=7,index_bytes=8", "mstopk:fraction=1,rounds=1",
                    "topk:fraction=0.1", "topk:fraction=0.001,index_bytes=8", "topk:fraction=1",
                    "randomk:fraction=0.1", "randomk:fraction=0.02,shared_seed=false",
                    "randomk:fraction=0.3,shared_seed=false,index_bytes=8", "qsgd",
                    "qsgd:bits=2,bucket=100", "qsgd:bits=7,bucket=33", "qsgd:bits=16,bucket=5000"));

}  // namespace
}  // namespace gradwire
