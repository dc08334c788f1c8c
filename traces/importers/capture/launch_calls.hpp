#pragma once

#include <cstdint>
#include <string>

namespace gradwire {

/// Name of a runtime or driver call by CUPTI's callback id, "cudaLaunchKernel"; "runtime call 999"
/// for one that is not known. NVIDIA only ever adds ids (cupti_runtime_cbid.h, cupti_driver_cbid.h
/// of CUDA 13.0).
std::string launch_call_name(std::uint32_t callback, bool driver);

}  // namespace gradwire
