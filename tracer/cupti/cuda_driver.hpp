#pragma once

#include <cuda.h>

#include <cstdint>

#include "tracer/capture/records.hpp"

namespace gradwire {

/// The few facts that the tracer asks of libcuda itself, which it never links.
class CudaDriver {
 public:
  /// Finds libcuda.so.1, which CUPTI needs too; false when the machine has none.
  bool load();

  bool is_loaded() const { return library_ != nullptr; }

  /// As cuDriverGetVersion counts: 13000 is CUDA 13.0. 0 when it does not tell.
  std::uint32_t version() const;

  /// Device `index` as the process counts them, which is how CUPTI's records do; false when the
  /// driver does not tell. `name` holds the name that `device` points to.
  bool describe(std::uint32_t index, char (&name)[256], CaptureDevice& device) const;

 private:
  void* library_ = nullptr;
  decltype(&::cuDriverGetVersion) get_version_ = nullptr;
  decltype(&::cuDeviceGet) device_get_ = nullptr;
  decltype(&::cuDeviceGetName) device_get_name_ = nullptr;
  decltype(&::cuDeviceGetAttribute) device_get_attribute_ = nullptr;
  decltype(&::cuDeviceTotalMem) device_total_memory_ = nullptr;
};

}  // namespace gradwire
