#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/errors.hpp"
#include "compressors/cuda/device_runtime.hpp"

struct CUevent_st {  // NOLINT(readability-identifier-naming): CUDA's name
  std::chrono::steady_clock::time_point recorded;
};

namespace gradwire {

int device_count() { return 1; }

void use_device(int device) {
  if (device != 0) throw EnvironmentError("device: the host's only one is 0");
}

void* allocate_on_device(std::size_t bytes) { return ::operator new(bytes); }
void free_on_device(void* memory) { ::operator delete(memory); }

void copy_to_device(void* to, const void* from, std::size_t bytes, Stream) {
  std::memcpy(to, from, bytes);
}
void copy_to_host(void* to, const void* from, std::size_t bytes, Stream) {
  std::memcpy(to, from, bytes);
}
void copy_on_device(void* to, const void* from, std::size_t bytes, Stream) {
  std::memmove(to, from, bytes);
}
void clear_on_device(void* memory, std::size_t bytes, Stream) { std::memset(memory, 0, bytes); }
void wait_for(Stream) {}

// A name alone, so that streams can be told apart.
OwnStream::OwnStream() : stream_(reinterpret_cast<Stream>(new char)) {}
OwnStream::~OwnStream() { delete reinterpret_cast<char*>(stream_); }

DeviceEvent::DeviceEvent() : event_(new CUevent_st) {}
DeviceEvent::~DeviceEvent() { delete event_; }
void DeviceEvent::record(Stream) { event_->recorded = std::chrono::steady_clock::now(); }
void DeviceEvent::hold(Stream) const {}
Seconds DeviceEvent::since(const DeviceEvent& earlier) const {
  return event_->recorded - earlier.event_->recorded;
}

}  // namespace gradwire
