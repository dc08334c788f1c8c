#include "compressors/cuda/nccl_transport.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "base/errors.hpp"
#include "compressors/cuda/device_exchange.hpp"
#include "tests/compressors/cuda/fake_nccl.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

const std::vector<TensorShape> kShapes = {{{40, 30}}, {{40}}, {{11}}, {{9, 64}}};
constexpr std::size_t kElements = 40 * 30 + 40 + 11 + 9 * 64;
constexpr int kExchanges = 2;

std::vector<FakeNcclCall> take_calls() {
  void* library = dlopen(GRADWIRE_FAKE_NCCL, RTLD_NOW);
  auto* take = reinterpret_cast<decltype(&fakeNcclTakeCalls)>(dlsym(library, "fakeNcclTakeCalls"));
  std::vector<FakeNcclCall> calls(100'000);
  calls.resize(static_cast<std::size_t>(take(calls.data(), 100'000)));
  return calls;
}

/// Gradients by exchange, then by rank.
std::vector<std::vector<std::vector<float>>> gradients_of(int ranks) {
  std::vector<std::vector<std::vector<float>>> gradients(kExchanges);
  std::uint64_t seed = 0;
  for (auto& by_rank : gradients) {
    for (int rank = 0; rank < ranks; ++rank) {
      by_rank.push_back(test::normal_vector(kElements, ++seed));
    }
  }
  return gradients;
}

/// By exchange, then by rank.
using Averages = std::vector<std::vector<std::vector<float>>>;

/// Ranks `first` .. of `transports`, driven by this thread, into their places of `averages`.
void exchange_locally(std::string_view spelling, const std::vector<Transport*>& transports,
                      const std::vector<std::vector<std::vector<float>>>& gradients,
                      Averages& averages) {
  std::vector<LocalRank> ranks;
  for (Transport* transport : transports) {
    ranks.push_back({0,
                     make_device_compressor(spelling, kShapes, test::kSeed, transport->rank(),
                                            transport->ranks()),
                     transport});
  }
  const OwnStream stream;
  DeviceExchange exchange(std::move(ranks));
  for (std::size_t turn = 0; turn < gradients.size(); ++turn) {
    std::vector<DeviceArray<float>> arrays;
    std::vector<LocalGradient> local;
    for (Transport* transport : transports) {
      arrays.emplace_back(gradients[turn][static_cast<std::size_t>(transport->rank())]);
      float* gradient = arrays.back().get();
      arrays.emplace_back(kElements);
      local.push_back({gradient, arrays.back().get(), stream.get()});
    }
    exchange.run(local);
    for (std::size_t i = 0; i < transports.size(); ++i) {
      averages[turn][static_cast<std::size_t>(transports[i]->rank())] =
          arrays[2 * i + 1].on_host(stream.get());
    }
  }
}

Averages room_for(int ranks) {
  return Averages(kExchanges, std::vector<std::vector<float>>(static_cast<std::size_t>(ranks)));
}

/// A process a GPU, as threads.
Averages exchange_by_threads(std::string_view spelling, int ranks) {
  const NcclApi api = load_nccl(GRADWIRE_FAKE_NCCL);
  const NcclUniqueId id = NcclTransport::make_id(api);
  const auto gradients = gradients_of(ranks);
  Averages averages = room_for(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      NcclTransport transport(api, id, rank, ranks);
      exchange_locally(spelling, {&transport}, gradients, averages);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return averages;
}

/// One process and thread with several GPUs.
Averages exchange_in_one_thread(std::string_view spelling, int ranks) {
  const NcclApi api = load_nccl(GRADWIRE_FAKE_NCCL);
  const auto owned =
      NcclTransport::all_in_process(api, std::vector<int>(static_cast<std::size_t>(ranks)));
  std::vector<Transport*> transports;
  for (const auto& transport : owned) transports.push_back(transport.get());
  Averages averages = room_for(ranks);
  exchange_locally(spelling, transports, gradients_of(ranks), averages);
  return averages;
}

void expect_reference(const Averages& averages, std::string_view spelling, int ranks) {
  std::vector<RankReference> references = test::make_job(spelling, kShapes, ranks);
  const auto gradients = gradients_of(ranks);
  for (std::size_t turn = 0; turn < gradients.size(); ++turn) {
    const auto expected = exchange_gradients(references, gradients[turn]);
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      EXPECT_EQ(averages[turn][rank], averages[turn][0]) << "the ranks differ";
      if (spelling.starts_with("powersgd")) {
        EXPECT_LT(std::sqrt(test::squared_distance(averages[turn][rank], expected[rank])),
                  2e-5 * std::sqrt(test::squared_length(expected[rank])));
      } else {
        EXPECT_EQ(averages[turn][rank], expected[rank]);
      }
    }
  }
}

/// What each rank called is the scheme's transfers, in groups, in place, on a stream of its own.
void expect_transfers(const std::vector<FakeNcclCall>& calls, std::string_view spelling,
                      int ranks) {
  const auto made = make_device_compressor(spelling, kShapes, test::kSeed, 0, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<FakeNcclCall> own;
    for (const FakeNcclCall& call : calls) {
      if (call.rank == rank) own.push_back(call);
    }
    ASSERT_EQ(own.size(), kExchanges * made.transfers.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Transfer& transfer = made.transfers[i % made.transfers.size()];
      EXPECT_EQ(own[i].gathers, transfer.kind == CollectiveKind::kAllGather) << transfer.what;
      EXPECT_EQ(static_cast<std::int64_t>(own[i].elements), transfer.elements.count());
      const bool two_bytes = own[i].type == kNcclFloat16 || own[i].type == kNcclBfloat16;
      const bool eight_bytes = own[i].type == kNcclInt64;
      EXPECT_EQ(transfer.element_size, Bytes{two_bytes ? 2 : eight_bytes ? 8 : 4});
      EXPECT_TRUE(own[i].in_group);
      EXPECT_TRUE(own[i].in_place);
      EXPECT_NE(own[i].stream, nullptr);
      EXPECT_EQ(own[i].stream, own.front().stream);
    }
  }
}

class NcclExchange : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(NcclExchange, OfOneProcessAGpuGivesEveryRankTheReferencesResult) {
  const auto& [spelling, ranks] = GetParam();
  take_calls();
  expect_reference(exchange_by_threads(spelling, ranks), spelling, ranks);
  expect_transfers(take_calls(), spelling, ranks);
}

TEST_P(NcclExchange, OfOneProcessWithAllGpusDoesTheSame) {
  const auto& [spelling, ranks] = GetParam();
  take_calls();
  expect_reference(exchange_in_one_thread(spelling, ranks), spelling, ranks);
  expect_transfers(take_calls(), spelling, ranks);
}

INSTANTIATE_TEST_SUITE_P(OfEveryScheme, NcclExchange,
                         testing::Combine(testing::Values("none", "fp16", "bf16", "signsgd",
                                                          "ef-signsgd", "mstopk:fraction=0.05",
                                                          "topk:fraction=0.05,index_bytes=8",
                                                          "randomk:fraction=0.05",
                                                          "randomk:fraction=0.05,shared_seed=false",
                                                          "qsgd", "powersgd:rank=2"),
                                          testing::Values(2, 3, 4, 8, 16)));

TEST(NcclTransport, RefusesRanksThatCallDifferentThings) {
  const NcclApi api = load_nccl(GRADWIRE_FAKE_NCCL);
  const auto ranks = NcclTransport::all_in_process(api, {0, 0});
  DeviceArray<float> one(4);
  DeviceArray<float> other(4);
  ranks[0]->begin_group();
  ranks[0]->all_reduce(one.get(), DType::kFloat32, 4, nullptr);
  ranks[1]->all_reduce(other.get(), DType::kFloat32, 3, nullptr);
  EXPECT_THROW(ranks[0]->end_group(), EnvironmentError);
}

TEST(LoadNccl, NamesTheLibraryOrFunctionThatIsNotThere) {
  try {
    load_nccl("/nowhere/libnccl.so.2");
    FAIL() << "loaded";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string{error.what()}.find("/nowhere/libnccl.so.2"), std::string::npos);
  }
  try {
    load_nccl("libm.so.6");
    FAIL() << "loaded";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "NCCL: libm.so.6 has no ncclGetVersion");
  }
}

}  // namespace
}  // namespace gradwire
