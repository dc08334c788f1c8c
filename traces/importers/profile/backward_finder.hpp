#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// The thread that runs the backward pass: the one with most AccumulateGrad operators; absent when
/// there are none.
std::optional<ThreadKey> find_backward_thread(const ProfileRecords& records);

/// Sets Kernel::in_backward of the device records that the backward pass launched: where the
/// program marks it, between its marks from the threads that mark gradients; else from inside an
/// autograd::engine::evaluate_function on the same thread; in files before PyTorch 1.10, which have
/// none, from the thread that hosts AccumulateGrad; else from inside a CompiledFunctionBackward.
/// Communication kernels never are.
void find_backward(ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                   ImportReport& report);

}  // namespace gradwire
