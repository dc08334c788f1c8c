#pragma once

#include <optional>
#include <string_view>

#include "traces/model/trace.hpp"

namespace gradwire {

/// True for the device kernels of NCCL and RCCL, future names included.
bool is_communication_kernel(std::string_view name);

/// The collective that the profiler names ("allreduce", "_allgather_base", "all_to_all"). kOpaque
/// for one that is not known; absent for what moves no data ("wait", "init", "barrier").
std::optional<CollectiveKind> collective_of_operation(std::string_view name);

/// The collective that a kernel's name tells ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)").
/// kOpaque when it does not; kSendReceive also stands for an all-to-all, which NCCL makes of sends
/// and receives.
CollectiveKind collective_of_kernel(std::string_view name);

/// The element type in the name of a kernel that reduces, "f32" or (before NCCL 2.18) "float";
/// kUnknown where there is none, as of kernels that only move bytes.
DType dtype_of_kernel(std::string_view name);

}  // namespace gradwire
