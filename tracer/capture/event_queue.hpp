#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/capture/host_events.hpp"
#include "tracer/capture/locks.hpp"

namespace gradwire {

/// A host event as it was recorded; `event`'s bytes lie in the queue.
struct TimedHostEvent {
  HostEvent event;
  std::uint64_t time_ns = 0;  ///< CLOCK_REALTIME
  std::uint64_t thread = 0;   ///< gettid
};

/// Host events on their way from the application's threads to the writer: copied under a short lock
/// into blocks of one fixed piece of memory. When all blocks are full, events are dropped and
/// counted.
class EventQueue {
 public:
  struct Block;

  /// Notifies `writer` when a quarter of the blocks is full.
  explicit constexpr EventQueue(Wakeup& writer) : writer_(writer) {}
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue() = default;  // its memory stays: a thread may be in push()

  /// Gets the memory (once) and forgets events and drops; false: the system has none.
  bool open();

  /// Any thread. Texts and payloads are cut at kMaxEventBytes.
  void push(const HostEvent& event, std::uint64_t time_ns, std::uint64_t thread);

  /// Calls take(const TimedHostEvent&) for every event pushed so far, in order; one thread.
  template <class Take>
  void drain(Take take) {
    for (Block* block = take_filled(); block != nullptr;) {
      TimedHostEvent event;
      for (std::size_t at = 0; read(*block, at, event);) take(event);
      block = give_back(block);
    }
  }

  /// Since open().
  std::uint64_t dropped() const;

  /// In a child of fork: what was in it is the parent's.
  void forget();

  static constexpr std::size_t kBlockBytes = 64U << 10U;
  static constexpr std::size_t kBlocks = 512;  ///< 32 MiB

 private:
  Block* take_filled();
  static bool read(const Block& block, std::size_t& at, TimedHostEvent& event);
  Block* give_back(Block* block);
  Block* room_for(std::size_t size);
  void put_all_back();

  Wakeup& writer_;
  mutable ShortLock lock_;
  unsigned char* memory_ = nullptr;
  Block* free_ = nullptr;
  Block* oldest_ = nullptr;  ///< with events; the newest is being filled
  Block* newest_ = nullptr;
  std::size_t filled_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace gradwire
