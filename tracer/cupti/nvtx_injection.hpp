#pragma once

#include <cstdint>

extern "C" {

/// NVTX's entry point for tools (NVTX_INJECTION64_PATH): the first NVTX call of each shared object
/// that has NVTX in it comes here, with that object's own `get_table`. Its calls of the core tables
/// come to us from then on. 0, and nothing is changed, when the object's tables are not known.
// NVTX chose the name. NOLINTNEXTLINE(readability-identifier-naming)
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*get_table)(std::uint32_t id));
}
