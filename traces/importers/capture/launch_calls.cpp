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

// The second id of a name is of its per-thread-default-stream twin (_ptsz).
constexpr std::array kRuntimeCalls = {
    CallName{13, "cudaLaunch"},
    CallName{31, "cudaMemcpy"},
    CallName{41, "cudaMemcpyAsync"},
    CallName{51, "cudaMemsetAsync"},
    CallName{211, "cudaLaunchKernel"},
    CallName{214, "cudaLaunchKernel"},
    CallName{225, "cudaMemcpyAsync"},
    CallName{235, "cudaMemsetAsync"},
    CallName{269, "cudaLaunchCooperativeKernel"},
    CallName{270, "cudaLaunchCooperativeKernel"},
    CallName{311, "cudaGraphLaunch"},
    CallName{312, "cudaGraphLaunch"},
    CallName{430, "cudaLaunchKernelExC"},
    CallName{431, "cudaLaunchKernelExC"},
    CallName{505, "__cudaLaunchKernel"},
    CallName{506, "__cudaLaunchKernel"},
};

constexpr std::array kDriverCalls = {
    CallName{307, "cuLaunchKernel"},
    CallName{442, "cuLaunchKernel"},
    CallName{477, "cuLaunchCooperativeKernel"},
    CallName{478, "cuLaunchCooperativeKernel"},
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
