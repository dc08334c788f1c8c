#include "compressors/cuda/host_grid.hpp"

#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <memory>
#include <vector>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr int kWarpThreads = 32;
constexpr std::size_t kStackBytes = std::size_t{64} * 1024;

enum class Waiting { kNot, kForWarp, kForBlock, kReturned };

/// A thread of the block: a stack of its own on one thread of the host.
struct BlockThread {
  boost::context::fiber fiber;      // where it goes on
  boost::context::fiber scheduler;  // where to go back to from it
  Waiting waiting = Waiting::kReturned;
};

/// What the lanes of a warp give each other: two sets in turn, so that a lane may give its next
/// value before the others have read the last one.
struct WarpSlots {
  std::array<std::array<std::uint64_t, kWarpThreads>, 2> values{};
};

class HostBlock {
 public:
  void run(int threads, const std::function<void()>& body) {
    threads_.clear();
    threads_.resize(static_cast<std::size_t>(threads));
    warps_.assign(static_cast<std::size_t>(threads / kWarpThreads), {});
    turns_.assign(static_cast<std::size_t>(threads), 0);
    for (BlockThread& own : threads_) start(own, body);
    for (bool left = true; left;) {
      for (int thread = 0; thread < threads; ++thread) {
        if (at(thread).waiting == Waiting::kNot) resume(thread);
      }
      left = release(threads);
    }
  }

  void wait(Waiting reason) {
    BlockThread& own = at(host_place.thread);
    own.waiting = reason;
    own.scheduler = std::move(own.scheduler).resume();
  }

  const std::uint64_t* exchange(std::uint64_t value) {
    const int thread = host_place.thread;
    WarpSlots& warp = warps_[static_cast<std::size_t>(thread / kWarpThreads)];
    int& turn = turns_[static_cast<std::size_t>(thread)];
    std::array<std::uint64_t, kWarpThreads>& slots = warp.values[static_cast<std::size_t>(turn)];
    turn = 1 - turn;
    slots[static_cast<std::size_t>(thread % kWarpThreads)] = value;
    wait(Waiting::kForWarp);
    return slots.data();
  }

 private:
  BlockThread& at(int thread) { return threads_[static_cast<std::size_t>(thread)]; }

  void start(BlockThread& own, const std::function<void()>& body) {
    own.waiting = Waiting::kNot;
    own.fiber = boost::context::fiber(std::allocator_arg, stacks_,
                                      [&own, &body](boost::context::fiber&& scheduler) {
                                        own.scheduler = std::move(scheduler);
                                        body();
                                        own.waiting = Waiting::kReturned;
                                        return std::move(own.scheduler);
                                      });
  }

  void resume(int thread) {
    host_place.thread = thread;
    at(thread).fiber = std::move(at(thread).fiber).resume();
  }

  /// Lets those go on whose others are all there; false when all have returned.
  bool release(int threads) {
    bool left = false;
    bool released = false;
    for (int begin = 0; begin < threads; begin += kWarpThreads) {
      released |= release_if_together(begin, begin + kWarpThreads, Waiting::kForWarp);
      for (int thread = begin; thread < begin + kWarpThreads; ++thread) {
        left |= at(thread).waiting != Waiting::kReturned;
      }
    }
    released |= release_if_together(0, threads, Waiting::kForBlock);
    GW_CHECK(released || !left,
             "a kernel's threads wait for others that have returned or wait elsewhere");
    return left;
  }

  bool release_if_together(int begin, int end, Waiting reason) {
    for (int thread = begin; thread < end; ++thread) {
      if (at(thread).waiting != reason) return false;
    }
    for (int thread = begin; thread < end; ++thread) at(thread).waiting = Waiting::kNot;
    return true;
  }

  boost::context::pooled_fixedsize_stack stacks_{kStackBytes};
  std::vector<BlockThread> threads_;
  std::vector<WarpSlots> warps_;
  std::vector<int> turns_;  // by thread: the set of slots it writes next
};

thread_local HostBlock host_block;

}  // namespace

void run_grid(std::int64_t blocks, int threads, const std::function<void()>& thread_body) {
  GW_CHECK(threads > 0 && threads <= 1024 && threads % kWarpThreads == 0,
           "a block is 1 to 32 whole warps");
  GW_CHECK(blocks <= std::int64_t{0x7fffffff}, "a grid has at most 2^31 - 1 blocks");
  ++host_launches;
  host_place.threads = threads;
  host_place.blocks = static_cast<int>(blocks);
  for (int block = 0; block < host_place.blocks; ++block) {
    host_place.block = block;
    host_block.run(threads, thread_body);
  }
}

void wait_for_block() { host_block.wait(Waiting::kForBlock); }

const std::uint64_t* exchange_in_warp(std::uint64_t own) { return host_block.exchange(own); }

}  // namespace gradwire
