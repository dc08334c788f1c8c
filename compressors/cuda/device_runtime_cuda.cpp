#include <cuda_runtime.h>

#include <string>

#include "base/errors.hpp"
#include "compressors/cuda/device_runtime.hpp"

namespace gradwire {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw EnvironmentError(std::string{what} + ": " + cudaGetErrorString(error));
}

}  // namespace

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void use_device(int device) { check(cudaSetDevice(device), "the device cannot be used"); }

void* allocate_on_device(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "device memory");
  return memory;
}

void free_on_device(void* memory) { static_cast<void>(cudaFree(memory)); }

void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "copy to the device");
  wait_for(stream);
}

void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "copy to the host");
  wait_for(stream);
}

void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copy on the device");
}

void clear_on_device(void* memory, std::size_t bytes, Stream stream) {
  check(cudaMemsetAsync(memory, 0, bytes, stream), "device memory cannot be cleared");
}

void wait_for(Stream stream) { check(cudaStreamSynchronize(stream), "the device's work failed"); }

OwnStream::OwnStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
}
OwnStream::~OwnStream() { static_cast<void>(cudaStreamDestroy(stream_)); }

DeviceEvent::DeviceEvent() { check(cudaEventCreate(&event_), "an event"); }
DeviceEvent::~DeviceEvent() { static_cast<void>(cudaEventDestroy(event_)); }
void DeviceEvent::record(Stream stream) { check(cudaEventRecord(event_, stream), "an event"); }
void DeviceEvent::hold(Stream stream) const {
  check(cudaStreamWaitEvent(stream, event_), "a stream that waits");
}
Seconds DeviceEvent::since(const DeviceEvent& earlier) const {
  float milliseconds = 0.0F;
  check(cudaEventSynchronize(event_), "the device's work failed");
  check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "the time between events");
  return Seconds{static_cast<double>(milliseconds) * 1e-3};
}

}  // namespace gradwire
