#pragma once

#include <cstdint>

#include "compressors/cuda/spmd.hpp"

namespace gradwire {

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

/// The sum over a block of kThreads in a fixed order, in every thread.
GW_DEVICE double block_sum(double own) {
  GW_SHARED double sums[kThreads / kWarp];
  for (int other = kWarp / 2; other > 0; other /= 2) {
    own += warp_read(own, (thread_index() + other) % kWarp);
  }
  sync_block();  // the sums of the call before have been read
  if (thread_index() % kWarp == 0) sums[thread_index() / kWarp] = own;
  sync_block();
  double sum = 0.0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace gradwire
