#pragma once

#include <string>
#include <vector>

#include "simulator/workload/busy_time.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

// Changes of a workload's times. Each knows every time of the backward pass, keeps the host's
// launches where they were, at the latest where the device would wait for them, and forgets what
// lies outside the backward pass, which does not follow.

/// Every time of the backward pass, idle gaps included, times `factor`. Requires factor > 0.
void scale_times(Workload& workload, double factor);

/// The kernels of class `name` (kernel_class.hpp; empty for all of them) take `factor` times as
/// long; the gaps between kernels stay. Requires factor > 0. Throws InputError when the trace held
/// no kernels, or none of that class in its backward pass.
void scale_kernels(Workload& workload, double factor, const std::string& name = {});

/// `passes` backward passes one after the other, the last of which makes the gradients ready: what
/// gradient accumulation does between two exchanges. The batch is that of all passes. Requires
/// passes >= 1.
void repeat_backward(Workload& workload, int passes);

/// Every gradient is ready at the end of the backward pass.
void hold_back_gradients(Workload& workload);

/// Device work with its class.
struct ClassedStretch {
  std::string kernel_class;
  BusyTime::Stretch stretch;
};

/// The device's time by class of kernel, before each of `times` and in all. Where kernels run side
/// by side the time counts for the one that started first, so that the classes sum to the time in
/// which any runs. Classes by name.
std::vector<KernelClassTime> kernel_class_times(std::vector<ClassedStretch> kernels,
                                                const std::vector<Nanoseconds>& times);

}  // namespace gradwire
