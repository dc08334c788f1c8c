#pragma once

#include <cstdint>

namespace gradwire {

/// CUPTI's API version (CUPTI_API_VERSION's scheme: 130000 for CUDA 13.0) that this program was
/// compiled for.
std::uint32_t compiled_cupti_version();

/// The version of the libcupti that is loaded. Throws EnvironmentError when it does not tell.
std::uint32_t loaded_cupti_version();

}  // namespace gradwire
