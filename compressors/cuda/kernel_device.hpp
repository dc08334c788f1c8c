#pragma once

#include <functional>
#include <memory>

#include "compressors/measure/measured_device.hpp"

namespace gradwire {

/// The kernels of this thread's device, timed between events on one stream: implementations "fused"
/// (ours) and "2021" (the study's launch structure). What `machine` is and how much memory is free
/// the caller knows.
std::unique_ptr<MeasuredDevice> make_kernel_device(MeasuredMachine machine,
                                                   std::function<Bytes()> free_memory);

}  // namespace gradwire
