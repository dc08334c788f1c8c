#pragma once

#include <memory>

#include "compressors/measure/measured_device.hpp"

namespace gradwire {

/// GPU `index`, from 0, timed by events on its stream. Throws EnvironmentError when there is none
/// of that number, or when this build has no CUDA.
std::unique_ptr<MeasuredDevice> make_gpu_device(int index);

}  // namespace gradwire
