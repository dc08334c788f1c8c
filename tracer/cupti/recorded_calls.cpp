#include "tracer/cupti/recorded_calls.hpp"

#include <cupti.h>

#include <array>

namespace gradwire {
namespace {

#define GRADWIRE_RUNTIME(call) CUPTI_RUNTIME_TRACE_CBID_##call
#define GRADWIRE_DRIVER(call) CUPTI_DRIVER_TRACE_CBID_##call

/// `_ptsz` and `_ptds` are what a program built with a default stream per thread calls.
constexpr std::uint32_t kRuntimeCalls[] = {
    // `<<<>>>` of nvcc 12 and older, of nvcc 13 (its __cudaLaunchKernel), and launches with
    // attributes
    GRADWIRE_RUNTIME(cudaLaunchKernel_v7000),
    GRADWIRE_RUNTIME(cudaLaunchKernel_ptsz_v7000),
    GRADWIRE_RUNTIME(__cudaLaunchKernel_v13000),
    GRADWIRE_RUNTIME(__cudaLaunchKernel_ptsz_v13000),
    GRADWIRE_RUNTIME(cudaLaunchKernelExC_v11060),
    GRADWIRE_RUNTIME(cudaLaunchKernelExC_ptsz_v11060),
    GRADWIRE_RUNTIME(cudaLaunchCooperativeKernel_v9000),
    GRADWIRE_RUNTIME(cudaLaunchCooperativeKernel_ptsz_v9000),
    GRADWIRE_RUNTIME(cudaLaunchCooperativeKernelMultiDevice_v9000),
    GRADWIRE_RUNTIME(cudaGraphLaunch_v10000),
    GRADWIRE_RUNTIME(cudaGraphLaunch_ptsz_v10000),
    // copies and fills
    GRADWIRE_RUNTIME(cudaMemcpy_v3020),
    GRADWIRE_RUNTIME(cudaMemcpy_ptds_v7000),
    GRADWIRE_RUNTIME(cudaMemcpyAsync_v3020),
    GRADWIRE_RUNTIME(cudaMemcpyAsync_ptsz_v7000),
    GRADWIRE_RUNTIME(cudaMemcpy2D_v3020),
    GRADWIRE_RUNTIME(cudaMemcpy2D_ptds_v7000),
    GRADWIRE_RUNTIME(cudaMemcpy2DAsync_v3020),
    GRADWIRE_RUNTIME(cudaMemcpy2DAsync_ptsz_v7000),
    GRADWIRE_RUNTIME(cudaMemcpyToSymbol_v3020),
    GRADWIRE_RUNTIME(cudaMemcpyToSymbol_ptds_v7000),
    GRADWIRE_RUNTIME(cudaMemcpyFromSymbol_v3020),
    GRADWIRE_RUNTIME(cudaMemcpyFromSymbol_ptds_v7000),
    GRADWIRE_RUNTIME(cudaMemcpyToSymbolAsync_v3020),
    GRADWIRE_RUNTIME(cudaMemcpyToSymbolAsync_ptsz_v7000),
    GRADWIRE_RUNTIME(cudaMemcpyPeer_v4000),
    GRADWIRE_RUNTIME(cudaMemcpyPeerAsync_v4000),
    GRADWIRE_RUNTIME(cudaMemset_v3020),
    GRADWIRE_RUNTIME(cudaMemset_ptds_v7000),
    GRADWIRE_RUNTIME(cudaMemsetAsync_v3020),
    GRADWIRE_RUNTIME(cudaMemsetAsync_ptsz_v7000),
    // waiting
    GRADWIRE_RUNTIME(cudaStreamSynchronize_v3020),
    GRADWIRE_RUNTIME(cudaStreamSynchronize_ptsz_v7000),
    GRADWIRE_RUNTIME(cudaDeviceSynchronize_v3020),
    GRADWIRE_RUNTIME(cudaEventSynchronize_v3020),
    GRADWIRE_RUNTIME(cudaEventRecord_v3020),
    GRADWIRE_RUNTIME(cudaEventRecord_ptsz_v7000),
    GRADWIRE_RUNTIME(cudaStreamWaitEvent_v3020),
    GRADWIRE_RUNTIME(cudaStreamWaitEvent_ptsz_v7000),
};

constexpr std::uint32_t kDriverCalls[] = {
    // cuBLAS, cuDNN, Triton
    GRADWIRE_DRIVER(cuLaunchKernel),
    GRADWIRE_DRIVER(cuLaunchKernel_ptsz),
    GRADWIRE_DRIVER(cuLaunchKernelEx),
    GRADWIRE_DRIVER(cuLaunchKernelEx_ptsz),
    GRADWIRE_DRIVER(cuLaunchCooperativeKernel),
    GRADWIRE_DRIVER(cuLaunchCooperativeKernel_ptsz),
    GRADWIRE_DRIVER(cuLaunchCooperativeKernelMultiDevice),
    GRADWIRE_DRIVER(cuGraphLaunch),
    GRADWIRE_DRIVER(cuGraphLaunch_ptsz),
    // copies and fills of programs that use the driver directly
    GRADWIRE_DRIVER(cuMemcpy),
    GRADWIRE_DRIVER(cuMemcpy_ptds),
    GRADWIRE_DRIVER(cuMemcpyAsync),
    GRADWIRE_DRIVER(cuMemcpyAsync_ptsz),
    GRADWIRE_DRIVER(cuMemcpyHtoD_v2),
    GRADWIRE_DRIVER(cuMemcpyHtoD_v2_ptds),
    GRADWIRE_DRIVER(cuMemcpyHtoDAsync_v2),
    GRADWIRE_DRIVER(cuMemcpyHtoDAsync_v2_ptsz),
    GRADWIRE_DRIVER(cuMemcpyDtoH_v2),
    GRADWIRE_DRIVER(cuMemcpyDtoH_v2_ptds),
    GRADWIRE_DRIVER(cuMemcpyDtoHAsync_v2),
    GRADWIRE_DRIVER(cuMemcpyDtoHAsync_v2_ptsz),
    GRADWIRE_DRIVER(cuMemcpyDtoD_v2),
    GRADWIRE_DRIVER(cuMemcpyDtoD_v2_ptds),
    GRADWIRE_DRIVER(cuMemcpyDtoDAsync_v2),
    GRADWIRE_DRIVER(cuMemcpyDtoDAsync_v2_ptsz),
    GRADWIRE_DRIVER(cuMemcpyPeer),
    GRADWIRE_DRIVER(cuMemcpyPeer_ptds),
    GRADWIRE_DRIVER(cuMemcpyPeerAsync),
    GRADWIRE_DRIVER(cuMemcpyPeerAsync_ptsz),
    GRADWIRE_DRIVER(cuMemcpy2D_v2),
    GRADWIRE_DRIVER(cuMemcpy2D_v2_ptds),
    GRADWIRE_DRIVER(cuMemcpy2DAsync_v2),
    GRADWIRE_DRIVER(cuMemcpy2DAsync_v2_ptsz),
    GRADWIRE_DRIVER(cuMemcpy3D_v2),
    GRADWIRE_DRIVER(cuMemcpy3D_v2_ptds),
    GRADWIRE_DRIVER(cuMemcpy3DAsync_v2),
    GRADWIRE_DRIVER(cuMemcpy3DAsync_v2_ptsz),
    GRADWIRE_DRIVER(cuMemsetD8_v2),
    GRADWIRE_DRIVER(cuMemsetD8_v2_ptds),
    GRADWIRE_DRIVER(cuMemsetD16_v2),
    GRADWIRE_DRIVER(cuMemsetD16_v2_ptds),
    GRADWIRE_DRIVER(cuMemsetD32_v2),
    GRADWIRE_DRIVER(cuMemsetD32_v2_ptds),
    GRADWIRE_DRIVER(cuMemsetD8Async),
    GRADWIRE_DRIVER(cuMemsetD8Async_ptsz),
    GRADWIRE_DRIVER(cuMemsetD16Async),
    GRADWIRE_DRIVER(cuMemsetD16Async_ptsz),
    GRADWIRE_DRIVER(cuMemsetD32Async),
    GRADWIRE_DRIVER(cuMemsetD32Async_ptsz),
    // waiting
    GRADWIRE_DRIVER(cuStreamSynchronize),
    GRADWIRE_DRIVER(cuStreamSynchronize_ptsz),
    GRADWIRE_DRIVER(cuCtxSynchronize),
};

#undef GRADWIRE_RUNTIME
#undef GRADWIRE_DRIVER

/// One bit a callback.
class CallbackSet {
 public:
  template <std::size_t N>
  constexpr explicit CallbackSet(const std::uint32_t (&callbacks)[N]) {
    for (const std::uint32_t callback : callbacks) {
      words_[callback / 64] |= std::uint64_t{1} << callback % 64;
    }
  }
  constexpr bool has(std::uint32_t callback) const {
    return callback < words_.size() * 64 && (words_[callback / 64] >> callback % 64 & 1U) != 0;
  }

 private:
  std::array<std::uint64_t, 16> words_{};
};

constexpr CallbackSet kRuntimeSet(kRuntimeCalls);
constexpr CallbackSet kDriverSet(kDriverCalls);

}  // namespace

RecordedCalls recorded_runtime_calls() {
  return {kRuntimeCalls, sizeof kRuntimeCalls / sizeof kRuntimeCalls[0]};
}

RecordedCalls recorded_driver_calls() {
  return {kDriverCalls, sizeof kDriverCalls / sizeof kDriverCalls[0]};
}

bool is_recorded_call(bool driver, std::uint32_t callback) {
  return (driver ? kDriverSet : kRuntimeSet).has(callback);
}

}  // namespace gradwire
