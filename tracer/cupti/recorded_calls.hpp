#pragma once

#include <cstddef>
#include <cstdint>

namespace gradwire {

/// The calls of the runtime and of the driver that put work on a device or wait for it: those that
/// are asked for one by one where CUPTI can, and the only ones kept where it records all. Callback
/// ids of cupti_runtime_cbid.h and cupti_driver_cbid.h; ids never change their meaning.
struct RecordedCalls {
  const std::uint32_t* callbacks = nullptr;
  std::size_t count = 0;
};

RecordedCalls recorded_runtime_calls();
RecordedCalls recorded_driver_calls();

/// Whether `callback` is one of them.
bool is_recorded_call(bool driver, std::uint32_t callback);

}  // namespace gradwire
