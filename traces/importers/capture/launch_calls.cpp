#include "traces/importers/capture/launch_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gradwire {
namespace {

struct CallName {
  std::uint32_t callback;
  std::string_view name;
};

// Those that put work on a device or wait for it. The second id of a name is of its twin for a
// default stream per thread (_ptsz, _ptds).
constexpr std::array kRuntimeCalls = {
    CallName{13, "cudaLaunch"},
    CallName{31, "cudaMemcpy"},
    CallName{32, "cudaMemcpy2D"},
    CallName{39, "cudaMemcpyToSymbol"},
    CallName{40, "cudaMemcpyFromSymbol"},
    CallName{41, "cudaMemcpyAsync"},
    CallName{44, "cudaMemcpy2DAsync"},
    CallName{47, "cudaMemcpyToSymbolAsync"},
    CallName{49, "cudaMemset"},
    CallName{51, "cudaMemsetAsync"},
    CallName{131, "cudaStreamSynchronize"},
    CallName{135, "cudaEventRecord"},
    CallName{137, "cudaEventSynchronize"},
    CallName{147, "cudaStreamWaitEvent"},
    CallName{160, "cudaMemcpyPeer"},
    CallName{161, "cudaMemcpyPeerAsync"},
    CallName{165, "cudaDeviceSynchronize"},
    CallName{211, "cudaLaunchKernel"},
    CallName{214, "cudaLaunchKernel"},
    CallName{215, "cudaMemcpy"},
    CallName{216, "cudaMemcpy2D"},
    CallName{223, "cudaMemcpyToSymbol"},
    CallName{224, "cudaMemcpyFromSymbol"},
    CallName{225, "cudaMemcpyAsync"},
    CallName{228, "cudaMemcpy2DAsync"},
    CallName{231, "cudaMemcpyToSymbolAsync"},
    CallName{233, "cudaMemset"},
    CallName{235, "cudaMemsetAsync"},
    CallName{239, "cudaStreamSynchronize"},
    CallName{242, "cudaEventRecord"},
    CallName{247, "cudaStreamWaitEvent"},
    CallName{269, "cudaLaunchCooperativeKernel"},
    CallName{270, "cudaLaunchCooperativeKernel"},
    CallName{272, "cudaLaunchCooperativeKernelMultiDevice"},
    CallName{311, "cudaGraphLaunch"},
    CallName{312, "cudaGraphLaunch"},
    CallName{430, "cudaLaunchKernelExC"},
    CallName{431, "cudaLaunchKernelExC"},
    CallName{505, "__cudaLaunchKernel"},
    CallName{506, "__cudaLaunchKernel"},
};

constexpr std::array kDriverCalls = {
    CallName{17, "cuCtxSynchronize"},
    CallName{126, "cuStreamSynchronize"},
    CallName{216, "cuMemsetD8Async"},
    CallName{218, "cuMemsetD16Async"},
    CallName{220, "cuMemsetD32Async"},
    CallName{249, "cuMemsetD8"},
    CallName{250, "cuMemsetD16"},
    CallName{251, "cuMemsetD32"},
    CallName{276, "cuMemcpyHtoD"},
    CallName{277, "cuMemcpyHtoDAsync"},
    CallName{278, "cuMemcpyDtoH"},
    CallName{279, "cuMemcpyDtoHAsync"},
    CallName{280, "cuMemcpyDtoD"},
    CallName{281, "cuMemcpyDtoDAsync"},
    CallName{287, "cuMemcpy2D"},
    CallName{289, "cuMemcpy2DAsync"},
    CallName{290, "cuMemcpy3D"},
    CallName{291, "cuMemcpy3DAsync"},
    CallName{305, "cuMemcpy"},
    CallName{306, "cuMemcpyAsync"},
    CallName{307, "cuLaunchKernel"},
    CallName{318, "cuMemcpyPeer"},
    CallName{319, "cuMemcpyPeerAsync"},
    CallName{397, "cuMemcpyHtoD"},
    CallName{398, "cuMemcpyDtoH"},
    CallName{399, "cuMemcpyDtoD"},
    CallName{405, "cuMemcpy2D"},
    CallName{407, "cuMemcpy3D"},
    CallName{408, "cuMemcpy"},
    CallName{409, "cuMemcpyPeer"},
    CallName{411, "cuMemsetD8"},
    CallName{412, "cuMemsetD16"},
    CallName{413, "cuMemsetD32"},
    CallName{418, "cuMemcpyAsync"},
    CallName{421, "cuMemcpyHtoDAsync"},
    CallName{422, "cuMemcpyDtoHAsync"},
    CallName{423, "cuMemcpyDtoDAsync"},
    CallName{424, "cuMemcpy2DAsync"},
    CallName{425, "cuMemcpy3DAsync"},
    CallName{426, "cuMemcpyPeerAsync"},
    CallName{428, "cuMemsetD8Async"},
    CallName{429, "cuMemsetD16Async"},
    CallName{430, "cuMemsetD32Async"},
    CallName{440, "cuStreamSynchronize"},
    CallName{442, "cuLaunchKernel"},
    CallName{477, "cuLaunchCooperativeKernel"},
    CallName{478, "cuLaunchCooperativeKernel"},
    CallName{480, "cuLaunchCooperativeKernelMultiDevice"},
    CallName{514, "cuGraphLaunch"},
    CallName{515, "cuGraphLaunch"},
    CallName{652, "cuLaunchKernelEx"},
    CallName{653, "cuLaunchKernelEx"},
};

template <class Names>
std::string find_name(const Names& names, std::uint32_t callback, std::string_view kind) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const CallName& call) { return call.callback == callback; });
  return found != names.end() ? std::string(found->name)
                              : fmt::format("{} call {}", kind, callback);
}

}  // namespace

std::string launch_call_name(std::uint32_t callback, bool driver) {
  return driver ? find_name(kDriverCalls, callback, "driver")
                : find_name(kRuntimeCalls, callback, "runtime");
}

}  // namespace gradwire
