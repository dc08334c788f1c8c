#pragma once

#include <cstdint>

#include "compressors/cuda/spmd.hpp"

namespace gradwire {

constexpr float kLargestFloat = 0x1.fffffep127F;

GW_DEVICE float not_a_number() { return float_of_bits(0x7fc00000); }

/// Threads of a block in kernels that go through arrays.
constexpr int kThreads = 256;

/// Elements that such a block goes through: enough loads under way at once to fill the memory.
constexpr int kElementsABlock = 4 * kThreads;

inline std::int64_t blocks_for(std::int64_t elements, std::int64_t elements_a_block) {
  return (elements + elements_a_block - 1) / elements_a_block;
}

/// Calls `act(i)` for this thread's share of the `elements` that a grid of
/// blocks_for(elements, kElementsABlock) blocks of kThreads goes through; neighbours in a warp get
/// neighbours. No call within which threads do something together.
template <class Act>
GW_DEVICE void for_each_element(std::int64_t elements, Act act) {
  const std::int64_t begin = std::int64_t{block_index()} * kElementsABlock + thread_index();
  for (int step = 0; step < kElementsABlock; step += kThreads) {
    const std::int64_t i = begin + step;
    if (i < elements) act(i);
  }
}

/// Launches `kernel`, which goes through `elements` by for_each_element.
template <class... Parameters, class... Arguments>
void launch_each(void (*kernel)(std::int64_t, Parameters...), std::int64_t elements, Stream stream,
                 Arguments... arguments) {
  launch(kernel, blocks_for(elements, kElementsABlock), kThreads, stream, elements, arguments...);
}

/// What `join` makes of the values of a warp's threads, in every thread; `join` is commutative.
template <class Value, class Join>
GW_DEVICE Value join_warp(Value own, Join join) {
  for (int other = kWarp / 2; other > 0; other /= 2) {
    own = join(own, warp_read(own, (thread_index() + other) % kWarp));
  }
  return own;
}

/// The same for a block of kThreads, in a fixed order.
template <class Value, class Join>
GW_DEVICE Value join_block(Value own, Join join) {
  GW_SHARED Value of_warps[kThreads / kWarp];
  own = join_warp(own, join);
  sync_block();  // the values of the call before have been read
  if (thread_index() % kWarp == 0) of_warps[thread_index() / kWarp] = own;
  sync_block();
  Value joined = of_warps[0];
  for (int warp = 1; warp < kThreads / kWarp; ++warp) joined = join(joined, of_warps[warp]);
  return joined;
}

GW_DEVICE double warp_sum(double own) {
  return join_warp(own, [](double a, double b) { return a + b; });
}

GW_DEVICE double block_sum(double own) {
  return join_block(own, [](double a, double b) { return a + b; });
}

GW_DEVICE std::uint32_t block_largest(std::uint32_t own) {
  return join_block(own, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
}

}  // namespace gradwire
