#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.hpp"

struct CUstream_st;  // NOLINT(readability-identifier-naming): CUDA's name
struct CUevent_st;   // NOLINT(readability-identifier-naming): CUDA's name

namespace gradwire {

// What the compressors need of a device beside kernels. Two implementations:
// device_runtime_cuda.cpp asks CUDA; device_runtime_host.cpp is a device of host memory on which
// everything is done when it is asked for. All throw EnvironmentError with CUDA's own message when
// the device refuses.

/// CUDA's stream. On the host a name: all work is done at once.
using Stream = CUstream_st*;

/// Devices of this process: 0 where there is no GPU or no driver. The host's is one.
int device_count();

/// Makes `device` the one that this thread's calls mean.
void use_device(int device);

void* allocate_on_device(std::size_t bytes);
void free_on_device(void* memory);  ///< after `allocate_on_device`; null is nothing

/// From or to host memory; waits until it is done.
void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream);
void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream);

/// Ordered on `stream`; these do not wait.
void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream);
void clear_on_device(void* memory, std::size_t bytes, Stream stream);

/// Waits until all of the stream's work is done.
void wait_for(Stream stream);

/// Elements of a trivially copyable type in device memory. Zero when made.
template <class Value>
class DeviceArray {
 public:
  static_assert(std::is_trivially_copyable_v<Value>);

  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    values_ = static_cast<Value*>(allocate_on_device(size * sizeof(Value)));
    clear_on_device(values_, size * sizeof(Value), nullptr);
    wait_for(nullptr);
  }
  explicit DeviceArray(std::span<const Value> values) : DeviceArray(values.size()) {
    if (size_ > 0) copy_to_device(values_, values.data(), size_ * sizeof(Value), nullptr);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : values_(std::exchange(other.values_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { free_on_device(values_); }

  Value* get() const { return values_; }
  std::size_t size() const { return size_; }

  /// A copy in host memory, behind the stream's work so far.
  std::vector<Value> on_host(Stream stream = nullptr) const {
    std::vector<Value> values(size_);
    if (size_ > 0) copy_to_host(values.data(), values_, size_ * sizeof(Value), stream);
    return values;
  }

 private:
  Value* values_ = nullptr;
  std::size_t size_ = 0;
};

/// A stream of one's own.
class OwnStream {
 public:
  OwnStream();
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

/// A point in a stream's work.
class DeviceEvent {
 public:
  DeviceEvent();
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  /// Now the point behind all work given to `stream` so far.
  void record(Stream stream);
  /// What is given to `stream` from now on waits for the point.
  void hold(Stream stream) const;
  /// Device time from `earlier` to this point, both recorded; waits for this point. On the host the
  /// time of day between the two calls of `record`.
  Seconds since(const DeviceEvent& earlier) const;

 private:
  CUevent_st* event_ = nullptr;
};

}  // namespace gradwire
