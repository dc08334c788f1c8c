#include "compressors/cuda/host_grid.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/errors.hpp"
#include "compressors/cuda/element_kernels.hpp"

namespace gradwire {
namespace {

GW_KERNEL number_threads(int* numbers) {
  numbers[block_index() * threads_a_block() + thread_index()] =
      1000 * block_index() + thread_index() + 100'000 * blocks_a_grid();
}

TEST(HostGrid, RunsEveryThreadOfEveryBlockOnce) {
  std::vector<int> numbers(3 * 64);
  launch(number_threads, 3, 64, nullptr, numbers.data());
  for (int i = 0; i < 3 * 64; ++i) {
    EXPECT_EQ(numbers[static_cast<std::size_t>(i)], 300'000 + i / 64 * 1000 + i % 64);
  }
}

/// Turns round what each block holds, through its shared memory: wrong without the barrier.
GW_KERNEL reverse_blocks(int* values) {
  GW_SHARED int shared[64];
  int& own = values[block_index() * threads_a_block() + thread_index()];
  shared[thread_index()] = own;
  sync_block();
  own = shared[threads_a_block() - 1 - thread_index()];
}

TEST(HostGrid, ABarrierShowsWhatTheOthersWroteBefore) {
  std::vector<int> values;
  for (int i = 0; i < 128; ++i) values.push_back(i);
  launch(reverse_blocks, 2, 64, nullptr, values.data());
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i / 64 * 64 + 63 - i % 64);
  }
}

/// Warps exchange different numbers of times, and values of several sizes.
GW_KERNEL exchange_lanes(std::uint32_t* ballots, double* sums) {
  const int lane = thread_index() % kWarp;
  const int warp = thread_index() / kWarp;
  ballots[thread_index()] = warp_ballot(lane % 3 == warp);
  double sum = 0.0;
  for (int other = 0; other < kWarp / (warp + 1); ++other) sum += warp_read(lane + 0.5, other);
  sums[thread_index()] = sum;
}

TEST(HostGrid, AWarpExchangesItsOwnValues) {
  std::vector<std::uint32_t> ballots(64);
  std::vector<double> sums(64);
  launch(exchange_lanes, 1, 64, nullptr, ballots.data(), sums.data());
  EXPECT_EQ(ballots[5], 0x49249249U);   // lanes 0, 3, ..., 30
  EXPECT_EQ(ballots[40], 0x92492492U);  // lanes 1, 4, ..., 31
  EXPECT_EQ(sums[31], 512.0);           // 0.5 + ... + 31.5
  EXPECT_EQ(sums[32], 128.0);           // 0.5 + ... + 15.5
}

GW_KERNEL return_before_barrier() {
  if (thread_index() == 7) return;
  sync_block();
}

GW_KERNEL return_before_ballot() {
  if (thread_index() == 7) return;
  warp_ballot(true);
}

GW_KERNEL wait_for_different_things() {
  if (thread_index() < 16) {
    sync_block();
  } else {
    warp_ballot(true);
  }
}

TEST(HostGrid, FindsThreadsThatWaitForEver) {
  EXPECT_THROW(launch(return_before_barrier, 1, 32, nullptr), BugError);
  EXPECT_THROW(launch(return_before_ballot, 1, 32, nullptr), BugError);
  EXPECT_THROW(launch(wait_for_different_things, 1, 32, nullptr), BugError);
  // And the next grid runs.
  std::vector<int> numbers(32);
  launch(number_threads, 1, 32, nullptr, numbers.data());
  EXPECT_EQ(numbers[31], 100'031);
}

TEST(HostGrid, RefusesABlockThatIsNotWholeWarps) {
  std::vector<int> numbers(64);
  EXPECT_THROW(launch(number_threads, 1, 33, nullptr, numbers.data()), BugError);
}

TEST(HostGrid, SeveralThreadsOfTheHostRunGridsAtOnce) {
  std::vector<std::vector<int>> values(4);
  std::vector<std::thread> threads;
  for (std::vector<int>& own : values) {
    threads.emplace_back([&own] {
      for (int i = 0; i < 6400; ++i) own.push_back(i);
      for (int turn = 0; turn < 2; ++turn) launch(reverse_blocks, 100, 64, nullptr, own.data());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& own : values) {
    for (int i = 0; i < 6400; ++i) ASSERT_EQ(own[static_cast<std::size_t>(i)], i);
  }
}

GW_KERNEL sum_threads(double* sums) {
  const double first = block_sum(thread_index());
  const double second = block_sum(1.0);
  if (thread_index() == 77) sums[block_index()] = first + 1e6 * second;
}

TEST(BlockSum, IsTheSumOverAllThreadsInEachOfThem) {
  std::vector<double> sums(2);
  launch(sum_threads, 2, kThreads, nullptr, sums.data());
  EXPECT_EQ(sums[0], 256e6 + 255 * 128);
  EXPECT_EQ(sums[1], sums[0]);
}

}  // namespace
}  // namespace gradwire
