#pragma once

#include <memory>

#include "compressors/measure/measured_device.hpp"

namespace gradwire {

/// The references (compressors/reference) on one thread of this machine's CPU, by its monotonic
/// clock: implementation "reference". They are made to be read, so their times say nothing about a
/// GPU, nor how fast a CPU could be.
std::unique_ptr<MeasuredDevice> make_cpu_device();

}  // namespace gradwire
