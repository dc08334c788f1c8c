#include "tracer/capture/event_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace gradwire {
namespace {

HostEvent mark(std::uint64_t value) {
  HostEvent event;
  event.value = value;
  return event;
}

std::string text(const EventBytes& bytes) {
  return {static_cast<const char*>(bytes.bytes), bytes.size};
}

TEST(EventQueue, AnEventComesOutAsItWentIn) {
  Wakeup wake;
  EventQueue queue(wake);
  ASSERT_TRUE(queue.open());
  const std::string long_text(kMaxEventBytes + 1, 'x');
  queue.push({HostEventKind::kFact, 1, 2, 3, {"ab", 2}, 4, {long_text.data(), long_text.size()}},
             100, 7);
  queue.push(mark(9), 101, 8);
  std::vector<std::uint64_t> times;
  queue.drain([&](const TimedHostEvent& timed) {
    times.push_back(timed.time_ns);
    if (timed.time_ns != 100) return;
    EXPECT_EQ(timed.thread, 7U);
    EXPECT_EQ(timed.event.kind, HostEventKind::kFact);
    EXPECT_EQ(timed.event.id, 1U);
    EXPECT_EQ(timed.event.value, 2U);
    EXPECT_EQ(timed.event.domain, 3U);
    EXPECT_EQ(timed.event.payload_kind, 4U);
    EXPECT_EQ(text(timed.event.text), "ab");
    EXPECT_EQ(text(timed.event.payload), std::string(kMaxEventBytes, 'x'));
  });
  EXPECT_EQ(times, (std::vector<std::uint64_t>{100, 101}));
  queue.drain([](const TimedHostEvent&) { FAIL() << "an event came out twice"; });
}

TEST(EventQueue, WithoutRoomEventsAreCountedAsDroppedAndTheWriterWasWoken) {
  Wakeup wake;
  EventQueue queue(wake);
  ASSERT_TRUE(queue.open());
  std::uint64_t pushed = 0;
  for (; queue.dropped() == 0; ++pushed) queue.push(mark(pushed), pushed, 1);
  EXPECT_TRUE(wake.wait(0));
  std::uint64_t seen = 0;
  queue.drain([&](const TimedHostEvent& timed) { EXPECT_EQ(timed.event.value, seen++); });
  EXPECT_EQ(seen, pushed - 1);
  queue.push(mark(0), 0, 1);  // there is room again
  EXPECT_EQ(queue.dropped(), 1U);
}

TEST(EventQueue, ThreadsLoseNothingAndEachKeepsItsOrder) {
  Wakeup wake;
  EventQueue queue(wake);
  ASSERT_TRUE(queue.open());
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEvents = 30'000;
  std::atomic<std::uint64_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&queue, &running, thread] {
      for (std::uint64_t i = 0; i < kEvents; ++i) queue.push(mark(i), i, thread);
      --running;
    });
  }
  std::map<std::uint64_t, std::uint64_t> next;
  std::uint64_t out_of_order = 0;
  const auto take = [&](const TimedHostEvent& timed) {
    out_of_order += next[timed.thread]++ != timed.event.value;
  };
  while (running > 0) queue.drain(take);
  for (std::thread& thread : threads) thread.join();
  queue.drain(take);
  EXPECT_EQ(out_of_order, 0U);
  EXPECT_EQ(queue.dropped(), 0U);
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) EXPECT_EQ(next[thread], kEvents);
}

}  // namespace
}  // namespace gradwire
