// The whole exchange of one rank through the real NCCL, and captured in a CUDA graph where the
// compressor does not wait. Needs a GPU and libnccl.so.2.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "base/errors.hpp"
#include "compressors/cuda/device_exchange.hpp"
#include "compressors/cuda/nccl_transport.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

const std::vector<TensorShape> kShapes = {{{400, 300}}, {{400}}, {{9, 64}}};
constexpr std::size_t kElements = 400 * 300 + 400 + 9 * 64;
constexpr double kTolerance = 1e-4;  // of the length: sums in float32 against double

class NcclOnGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no GPU";
    try {
      api_ = load_nccl();
    } catch (const EnvironmentError& error) {
      GTEST_SKIP() << error.what();
    }
    use_device(0);
    transport_.emplace(*api_, NcclTransport::make_id(*api_), 0, 1);
  }

  std::vector<LocalRank> only_rank() {
    std::vector<LocalRank> ranks;
    ranks.push_back(
        {0, make_device_compressor(GetParam(), kShapes, test::kSeed, 0, 1), &*transport_});
    return ranks;
  }

  static void expect_near(const std::vector<float>& values, const std::vector<float>& expected) {
    EXPECT_LE(std::sqrt(test::squared_distance(values, expected)),
              kTolerance * std::sqrt(test::squared_length(expected)));
  }

  std::optional<NcclApi> api_;
  std::optional<NcclTransport> transport_;
};

TEST_P(NcclOnGpu, OneRankExchangesAsTheReferenceDoes) {
  DeviceExchange exchange(only_rank());
  std::vector<RankReference> references = test::make_job(GetParam(), kShapes, 1);
  const OwnStream stream;
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    const std::vector<float> gradient = test::normal_vector(kElements, turn);
    const DeviceArray<float> on_device(gradient);
    const DeviceArray<float> averaged(kElements);
    const LocalGradient local{on_device.get(), averaged.get(), stream.get()};
    exchange.run({&local, 1});
    expect_near(averaged.on_host(stream.get()), exchange_gradients(references, {gradient}).front());
  }
}

TEST_P(NcclOnGpu, AReplayedGraphGoesOnAsTheReferenceDoes) {
  DeviceExchange exchange(only_rank());
  std::vector<RankReference> references = test::make_job(GetParam(), kShapes, 1);
  const OwnStream stream;
  const DeviceArray<float> on_device(kElements);
  const DeviceArray<float> averaged(kElements);
  const LocalGradient local{on_device.get(), averaged.get(), stream.get()};
  const auto give = [&](std::uint64_t seed) {
    const std::vector<float> gradient = test::normal_vector(kElements, seed);
    copy_to_device(on_device.get(), gradient.data(), kElements * sizeof(float), stream.get());
    return gradient;
  };
  // Once without a graph: libraries load what they need.
  std::vector<float> gradient = give(0);
  exchange.run({&local, 1});
  expect_near(averaged.on_host(stream.get()), exchange_gradients(references, {gradient}).front());

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  exchange.run({&local, 1});
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (std::uint64_t turn = 1; turn < 4; ++turn) {
    gradient = give(turn);
    ASSERT_EQ(cudaGraphLaunch(executable, stream.get()), cudaSuccess);
    expect_near(averaged.on_host(stream.get()), exchange_gradients(references, {gradient}).front());
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

INSTANTIATE_TEST_SUITE_P(OfEveryScheme, NcclOnGpu,
                         testing::Values("none", "fp16", "bf16", "signsgd", "ef-signsgd",
                                         "mstopk:fraction=0.01", "topk:fraction=0.01",
                                         "randomk:fraction=0.01", "qsgd", "powersgd:rank=4"));

}  // namespace
}  // namespace gradwire
