#include "tracer/capture/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace gradwire {
namespace {

FullBuffer full(std::uint8_t* bytes, std::size_t size) { return {bytes, size, nullptr, 0}; }

TEST(BufferPool, BuffersComeInTheOrderInWhichTheyWereHandedOver) {
  Wakeup wake;
  BufferPool pool(wake);
  std::uint8_t* const first = pool.take(true);
  std::uint8_t* const second = pool.take(true);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 8, 0U);
  EXPECT_EQ(pool.outstanding(), 2U);
  first[BufferPool::kBufferBytes - 1] = 1;
  pool.hand_over(full(second, 20));
  pool.hand_over(full(first, 10));
  EXPECT_TRUE(wake.wait(0));
  EXPECT_EQ(pool.outstanding(), 0U);
  FullBuffer buffer;
  ASSERT_TRUE(pool.next_full(buffer));
  EXPECT_EQ(buffer.bytes, second);
  EXPECT_EQ(buffer.size, 20U);
  ASSERT_TRUE(pool.next_full(buffer));
  EXPECT_EQ(buffer.bytes, first);
  EXPECT_FALSE(pool.next_full(buffer));
  pool.give_back(first);
  EXPECT_EQ(pool.take(true), first);  // used again
}

TEST(BufferPool, BeyondTheBoundARefusalIsTheAnswerUntilOneComesBack) {
  BufferPool pool;
  std::vector<std::uint8_t*> taken;
  for (std::uint64_t i = 0; i < BufferPool::kMaxBuffers; ++i) taken.push_back(pool.take(true));
  EXPECT_NE(taken.back(), nullptr);
  EXPECT_EQ(pool.take(true), nullptr);
  EXPECT_EQ(pool.outstanding(), BufferPool::kMaxBuffers);
  pool.hand_over(full(taken.back(), 1));
  EXPECT_EQ(pool.take(true), nullptr);  // still in use: the writer has it to read
  FullBuffer buffer;
  ASSERT_TRUE(pool.next_full(buffer));
  pool.give_back(buffer.bytes);
  EXPECT_EQ(pool.take(true), taken.back());
  for (std::uint8_t* const bytes : taken) pool.hand_over(full(bytes, 0));
  while (pool.next_full(buffer)) pool.give_back(buffer.bytes);
}

TEST(BufferPool, WhoMustNotBeRefusedWaitsForTheWriterAndNotForEver) {
  BufferPool pool;
  std::vector<std::uint8_t*> taken;
  for (std::uint64_t i = 0; i < BufferPool::kMaxBuffers; ++i) taken.push_back(pool.take(true));
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    pool.hand_over(full(taken[5], 0));
    FullBuffer buffer;
    if (pool.next_full(buffer)) pool.give_back(buffer.bytes);
  });
  EXPECT_EQ(pool.take(false), taken[5]);
  writer.join();
  EXPECT_NE(pool.take(false), nullptr);  // nobody gives back: one beyond the bound
}

TEST(BufferPool, ThreadsNeverShareABuffer) {
  Wakeup wake;
  BufferPool pool(wake);
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&pool, thread] {
      for (int i = 0; i < kRounds; ++i) {
        std::uint8_t* const bytes = pool.take(false);
        for (int k = 0; k < 64; ++k) bytes[k] = static_cast<std::uint8_t>(thread);
        pool.hand_over(full(bytes, 64));
      }
    });
  }
  int seen = 0;
  int mixed = 0;
  while (seen < kThreads * kRounds) {
    FullBuffer buffer;
    if (!pool.next_full(buffer)) {
      wake.wait(10);
      continue;
    }
    for (std::size_t k = 1; k < buffer.size; ++k) mixed += buffer.bytes[k] != buffer.bytes[0];
    pool.give_back(buffer.bytes);
    ++seen;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(pool.outstanding(), 0U);
}

}  // namespace
}  // namespace gradwire
