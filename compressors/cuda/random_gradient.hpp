#pragma once

#include <cstdint>

#include "compressors/cuda/device_runtime.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {

/// Fills `elements` of device memory with standard normal values, the same for the same key.
void draw_gradient(RandomKey key, std::int64_t elements, float* to, Stream stream);

}  // namespace gradwire
