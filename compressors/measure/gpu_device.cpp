#include "compressors/measure/gpu_device.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "compressors/cuda/device_runtime.hpp"
#include "compressors/cuda/kernel_device.hpp"

namespace gradwire {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw EnvironmentError(fmt::format("{}: {}", what, cudaGetErrorString(error)));
}

/// A version as CUDA counts: 13000 is 13.0.
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string clocks_of(int index) {
  int processors_khz = 0;
  int memory_khz = 0;
  check(cudaDeviceGetAttribute(&processors_khz, cudaDevAttrClockRate, index), "the device's clock");
  check(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, index),
        "the device's memory clock");
  return fmt::format("at most: SM {} MHz, memory {} MHz", processors_khz / 1000, memory_khz / 1000);
}

MeasuredMachine machine_of(int index) {
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  check(cudaGetDeviceProperties(&properties, index), "the device's properties");
  check(cudaDriverGetVersion(&driver), "the driver's version");
  check(cudaRuntimeGetVersion(&runtime), "CUDA's version");
  MeasuredMachine machine;
  machine.kind = DeviceKind::kGpu;
  machine.name = properties.name;
  machine.clocks = clocks_of(index);
  machine.software = {
      fmt::format("CUDA {} (driver {})", version_text(runtime), version_text(driver))};
  return machine;
}

Bytes free_device_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all), "the device's free memory");
  return Bytes{static_cast<std::int64_t>(free)};
}

}  // namespace

std::unique_ptr<MeasuredDevice> make_gpu_device(int index) {
  const int count = device_count();
  if (count == 0) {
    throw EnvironmentError(fmt::format(
        "--device {}: no GPU, or no driver for it; --cpu measures the references on this machine's "
        "CPU",
        index));
  }
  if (index >= count) {
    throw EnvironmentError(fmt::format("--device {}: this machine has {} (from 0)", index, count));
  }
  use_device(index);
  return make_kernel_device(machine_of(index), free_device_memory);
}

}  // namespace gradwire
