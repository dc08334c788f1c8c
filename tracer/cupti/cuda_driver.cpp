#include "tracer/cupti/cuda_driver.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <type_traits>

namespace gradwire {

bool CudaDriver::load() {
  if (library_ != nullptr) return true;
  library_ = dlopen("libcuda.so.1", RTLD_NOW);
  if (library_ == nullptr) return false;
  const auto find = [this](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library_, name));
  };
  find(get_version_, "cuDriverGetVersion");
  find(device_get_, "cuDeviceGet");
  find(device_get_name_, "cuDeviceGetName");
  find(device_get_attribute_, "cuDeviceGetAttribute");
  find(device_total_memory_, "cuDeviceTotalMem_v2");  // what cuda.h calls cuDeviceTotalMem
  return true;
}

std::uint32_t CudaDriver::version() const {
  int version = 0;
  if (get_version_ == nullptr || get_version_(&version) != CUDA_SUCCESS) return 0;
  return static_cast<std::uint32_t>(version);
}

bool CudaDriver::describe(std::uint32_t index, char (&name)[256], CaptureDevice& device) const {
  if (device_get_ == nullptr || device_get_name_ == nullptr || device_get_attribute_ == nullptr ||
      device_total_memory_ == nullptr) {
    return false;
  }
  CUdevice handle = 0;
  std::size_t bytes = 0;
  if (device_get_(&handle, static_cast<int>(index)) != CUDA_SUCCESS ||
      device_get_name_(name, sizeof name, handle) != CUDA_SUCCESS ||
      device_total_memory_(&bytes, handle) != CUDA_SUCCESS) {
    return false;
  }
  bool complete = true;
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    complete = device_get_attribute_(&value, which, handle) == CUDA_SUCCESS && complete;
    return static_cast<std::uint32_t>(value);
  };
  device.index = index;
  device.name = name;
  device.memory_bytes = bytes;
  device.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  device.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return complete;
}

}  // namespace gradwire
