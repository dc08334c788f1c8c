#pragma once

#include <cstdint>
#include <cstring>
#include <functional>

namespace gradwire {

/// Where in its grid the thread is that runs on this thread of the host.
struct HostPlace {
  int thread = 0;
  int threads = 0;
  int block = 0;
  int blocks = 0;
};

inline thread_local HostPlace host_place;

/// Grids that this thread of the host has run, and library calls that would be one.
inline thread_local std::int64_t host_launches = 0;

/// Runs `thread_body` as every thread of a grid: block after block, and within a block thread after
/// thread, each until it returns or waits for others. Throws InternalError where a GPU would hang
/// or compute rubbish: threads wait for others that have returned or wait elsewhere; a block that
/// is not whole warps. `thread_body` throws nothing. Several threads of the host may each run a
/// grid.
void run_grid(std::int64_t blocks, int threads, const std::function<void()>& thread_body);

// Called by a thread of a running grid:

/// Waits until all threads of the block wait here.
void wait_for_block();

/// Waits until all 32 threads of the warp have given a value, and gives all of them, by lane, until
/// the warp's next exchange but one.
const std::uint64_t* exchange_in_warp(std::uint64_t own);

/// A value of up to 8 bytes in an exchange.
template <class Value>
std::uint64_t slot_of(Value value) {
  static_assert(sizeof(Value) <= sizeof(std::uint64_t));
  std::uint64_t slot = 0;
  std::memcpy(&slot, &value, sizeof(Value));
  return slot;
}

template <class Value>
Value value_in_slot(std::uint64_t slot) {
  Value value;
  std::memcpy(&value, &slot, sizeof(Value));
  return value;
}

}  // namespace gradwire
