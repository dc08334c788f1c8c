#pragma once

// One kernel source for two compilers. nvcc makes kernels of it. g++ makes functions that
// host_grid.hpp runs, the threads of a block in turn on one thread of the host, so that every
// kernel is tested where there is no GPU. This is the one file in which the two differ, hence the
// only #ifdef: what follows has the same meaning under both.
//
// Blocks and grids have one dimension; a block is whole warps of 32. All threads of a warp, or of a
// block, take part in what they do together (on the host it is an error if one has returned).
//
// Without a GPU nothing shows races: blocks run one after another there.

#include <cstdint>

namespace gradwire {

constexpr int kWarp = 32;

}  // namespace gradwire

#ifdef __CUDACC__

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <string>

#include "base/errors.hpp"
#include "compressors/cuda/device_runtime.hpp"

#define GW_KERNEL __global__ void
#define GW_DEVICE __device__ inline
#define GW_SHARED __shared__

namespace gradwire {

GW_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
GW_DEVICE int block_index() { return static_cast<int>(blockIdx.x); }
GW_DEVICE int threads_a_block() { return static_cast<int>(blockDim.x); }
GW_DEVICE int blocks_a_grid() { return static_cast<int>(gridDim.x); }

GW_DEVICE void sync_block() { __syncthreads(); }
GW_DEVICE std::uint32_t warp_ballot(bool vote) { return __ballot_sync(~0U, vote); }
template <class Value>
GW_DEVICE Value warp_read(Value own, int lane) {
  return __shfl_sync(~0U, own, lane);
}

GW_DEVICE void atomic_add(std::uint32_t* to, std::uint32_t value) { atomicAdd(to, value); }
GW_DEVICE int bit_count(std::uint32_t bits) { return __popc(bits); }
GW_DEVICE std::uint32_t bits_of_float(float value) { return __float_as_uint(value); }
GW_DEVICE float float_of_bits(std::uint32_t bits) { return __uint_as_float(bits); }
GW_DEVICE std::uint16_t float16_of(float value) { return __half_as_ushort(__float2half_rn(value)); }
GW_DEVICE float float_of_half(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }

/// Starts `kernel` on `blocks` blocks of `threads`; nothing for no block. Throws EnvironmentError
/// when the device refuses.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t blocks, int threads, Stream stream,
            Arguments... arguments) {
  if (blocks == 0) return;
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(
      static_cast<Parameters>(arguments)...);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    throw EnvironmentError(std::string{"a kernel cannot be launched: "} +
                           cudaGetErrorString(error));
  }
}

}  // namespace gradwire

#else

#include <bit>

#include "compressors/cuda/device_runtime.hpp"
#include "compressors/cuda/host_grid.hpp"
#include "compressors/reference/float16.hpp"

#define GW_KERNEL void
#define GW_DEVICE inline
#define GW_SHARED static thread_local

namespace gradwire {

inline int thread_index() { return host_place.thread; }
inline int block_index() { return host_place.block; }
inline int threads_a_block() { return host_place.threads; }
inline int blocks_a_grid() { return host_place.blocks; }

inline void sync_block() { wait_for_block(); }
inline std::uint32_t warp_ballot(bool vote) {
  const std::uint64_t* votes = exchange_in_warp(vote ? 1 : 0);
  std::uint32_t word = 0;
  for (int lane = 0; lane < kWarp; ++lane) word |= static_cast<std::uint32_t>(votes[lane]) << lane;
  return word;
}
template <class Value>
inline Value warp_read(Value own, int lane) {
  return value_in_slot<Value>(exchange_in_warp(slot_of(own))[lane]);
}

inline void atomic_add(std::uint32_t* to, std::uint32_t value) { *to += value; }
inline int bit_count(std::uint32_t bits) { return std::popcount(bits); }
inline std::uint32_t bits_of_float(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float float_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint16_t float16_of(float value) { return float16_bits(value); }
inline float float_of_half(std::uint16_t bits) { return float_of_float16(bits); }

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t blocks, int threads, Stream,
            Arguments... arguments) {
  run_grid(blocks, threads, [&] { kernel(static_cast<Parameters>(arguments)...); });
}

}  // namespace gradwire

#endif
