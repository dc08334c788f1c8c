#pragma once

#include <cstdint>

#include "compressors/cuda/element_kernels.hpp"

namespace gradwire {

/// Elements whose signs a warp packs or unpacks together: 32 words, one a lane.
constexpr std::int64_t kSignsAWarp = std::int64_t{kWarp} * kWarp;
constexpr std::int64_t kSignsABlock = kSignsAWarp * (kThreads / kWarp);

/// The first element of this thread's warp.
GW_DEVICE std::int64_t first_sign() {
  return block_index() * kSignsABlock + thread_index() / kWarp * kSignsAWarp;
}

/// Packs the warp's signs as compressors/reference/signs.hpp has them; `is_below_zero(i)` is asked
/// for this lane's elements alone.
template <class IsBelowZero>
GW_DEVICE void pack_warp(std::int64_t elements, std::uint32_t* words, IsBelowZero is_below_zero) {
  const int lane = thread_index() % kWarp;
  std::uint32_t own = 0;
  for (int word = 0; word < kWarp; ++word) {
    const std::int64_t i = first_sign() + std::int64_t{word} * kWarp + lane;
    const std::uint32_t packed = warp_ballot(i < elements && is_below_zero(i));
    if (word == lane) own = packed;
  }
  const std::int64_t place = first_sign() / kWarp + lane;
  if (place * kWarp < elements) words[place] = own;
}

}  // namespace gradwire
