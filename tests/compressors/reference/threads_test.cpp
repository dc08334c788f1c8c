#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "compressors/reference/simulated_collective.hpp"
#include "tests/compressors/reference/job.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kRanks = 8;
constexpr std::size_t kElements = 12 * 30 + 41 + 4 * 3 * 5 * 7;

std::vector<TensorShape> tensor_shapes() { return {{{12, 30}}, {{41}}, {{4, 3, 5, 7}}}; }

/// Does `work(rank)` for every rank: one after the other without threads, else on as many threads,
/// which begin together and of which each takes every `threads`-th rank.
template <class Work>
void for_each_rank(std::size_t threads, Work work) {
  if (threads == 0) {
    for (std::size_t rank = 0; rank < kRanks; ++rank) work(rank);
    return;
  }
  std::latch start{static_cast<std::ptrdiff_t>(threads)};
  std::vector<std::jthread> workers;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    workers.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (std::size_t rank = thread; rank < kRanks; rank += threads) work(rank);
    });
  }
}

WireMessage bytes_of(std::span<const float> values) {
  return make_message(DType::kFloat32, std::vector<float>(values.begin(), values.end()));
}

/// Every message, result and error memory of four exchanges whose ranks are made, encode and decode
/// on `threads` threads.
std::vector<WireMessage> all_that_is_computed(std::string_view spelling, std::size_t threads) {
  std::vector<RankReference> job(kRanks);
  for_each_rank(threads, [&](std::size_t rank) {
    job[rank] = make_reference(spelling, tensor_shapes(), test::kSeed, static_cast<int>(rank));
  });
  std::vector<WireMessage> computed;
  for (std::uint64_t exchange = 0; exchange < 4; ++exchange) {
    std::vector<std::vector<float>> gradients;
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      gradients.push_back(test::normal_vector(kElements, 100 * exchange + rank));
    }
    std::vector<std::vector<float>> averaged(kRanks, std::vector<float>(kElements));
    std::size_t carried = 0;
    for (int round = 0; round < job.front().reference->rounds(); ++round) {
      std::vector<std::vector<WireMessage>> sent(kRanks);
      for_each_rank(threads, [&](std::size_t rank) {
        sent[rank] = job[rank].reference->encode(round, gradients[rank], kRanks);
      });
      std::vector<WireMessage> results;
      for (std::size_t message = 0; message < sent.front().size(); ++message) {
        std::vector<WireMessage> contributions;
        for (std::size_t rank = 0; rank < kRanks; ++rank) {
          contributions.push_back(sent[rank][message]);
        }
        computed.insert(computed.end(), contributions.begin(), contributions.end());
        results.push_back(collective_result(job.front().transfers[carried].kind, contributions));
        ++carried;
      }
      for_each_rank(threads, [&](std::size_t rank) {
        job[rank].reference->decode(round, results, kRanks, averaged[rank]);
      });
    }
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      computed.push_back(bytes_of(averaged[rank]));
      computed.push_back(bytes_of(job[rank].reference->memory()));
    }
  }
  return computed;
}

TEST(ReferenceOnThreads, ComputesTheSameBytesOnAnyNumberOfThem) {
  for (const char* spelling : test::kSpellings) {
    const std::vector<WireMessage> in_turn = all_that_is_computed(spelling, 0);
    for (const std::size_t threads : {kRanks, 3UL, 1UL}) {
      EXPECT_TRUE(all_that_is_computed(spelling, threads) == in_turn)
          << spelling << " on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace gradwire
