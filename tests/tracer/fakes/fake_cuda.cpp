// libcuda.so.1 without a device: what a training loop and the tracer call of the driver. cuInit
// loads CUDA_INJECTION64_PATH as the real one does. Its device is a clock a stream.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>

#include "tests/tracer/fakes/fake_driver.h"

namespace {

constexpr std::uint32_t kMaxStreams = 64;
constexpr std::uint64_t kLaunchLatencyNs = 2000;
constexpr int kDevices = 2;

std::mutex lock;  // of what follows
std::uint64_t stream_free_ns[kMaxStreams];
bool initialized = false;

std::atomic<FakeListener> listener{nullptr};
std::atomic<std::uint32_t> last_correlation{0};

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void tell(const FakeEvent& event) {
  if (const FakeListener to = listener.load()) to(&event);
}

int environment_number(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

void wait_for(std::uint32_t stream) {
  std::uint64_t until = 0;
  {
    const std::lock_guard guard(lock);
    until = stream_free_ns[stream % kMaxStreams];
  }
  for (std::uint64_t now = now_ns(); now < until; now = now_ns()) {
    usleep(static_cast<useconds_t>((until - now) / 1000 + 1));
  }
}

}  // namespace

extern "C" {

void fake_listen(FakeListener to) { listener.store(to); }

void fake_call(const FakeCall* call) {
  FakeEvent event{};
  event.call = *call;
  event.correlation = ++last_correlation;
  event.start_ns = now_ns();
  const std::uint64_t called_ns = event.start_ns;
  const std::uint32_t count = std::max(call->nodes, 1U);
  FakeEvent operation = event;
  operation.operation = call->operation;
  if (call->operation == FAKE_WAIT) {
    wait_for(call->stream);
    operation.end_ns = now_ns();
    tell(operation);
  } else if (call->operation != FAKE_NOTHING) {
    for (std::uint32_t node = 0; node < count; ++node) {
      {
        const std::lock_guard guard(lock);
        std::uint64_t& free_ns = stream_free_ns[call->stream % kMaxStreams];
        operation.start_ns = std::max(free_ns, called_ns + kLaunchLatencyNs);
        operation.end_ns = free_ns = operation.start_ns + call->duration_ns;
      }
      operation.graph_node = call->graph == 0 ? 0 : (std::uint64_t{call->graph} << 32) + node + 1;
      tell(operation);
    }
  }
  event.end_ns = now_ns();
  event.operation = FAKE_NOTHING;
  tell(event);
}

CUresult cuInit(unsigned /*flags*/) {
  {
    const std::lock_guard guard(lock);
    if (initialized) return CUDA_SUCCESS;
    initialized = true;
  }
  const char* injected = std::getenv("CUDA_INJECTION64_PATH");
  if (injected == nullptr || *injected == '\0') return CUDA_SUCCESS;
  void* library = dlopen(injected, RTLD_NOW);
  if (library == nullptr) return CUDA_SUCCESS;
  const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize != nullptr) initialize();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  *version = environment_number("GRADWIRE_FAKE_DRIVER_VERSION", 13000);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = kDevices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  if (index < 0 || index >= kDevices) return CUDA_ERROR_INVALID_DEVICE;
  *device = index;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  const std::string text = "Fake GPU " + std::to_string(device);
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice /*device*/) {  // cuda.h: cuDeviceTotalMem_v2
  *bytes = std::size_t{8} << 30U;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice /*device*/) {
  *value = which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT       ? 132
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
                                                                   : 0;
  return CUDA_SUCCESS;
}

/// Any name is a kernel; a CUfunction is its name.
CUresult cuModuleGetFunction(CUfunction* function, CUmodule /*module*/, const char* name) {
  *function = reinterpret_cast<CUfunction>(strdup(name));
  return CUDA_SUCCESS;
}

/// A CUstream is its number.
CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, CUstream stream, void**, void**) {
  FakeCall call{};
  call.driver = 1;
  call.callback = 307;
  call.operation = FAKE_KERNEL;
  call.name = reinterpret_cast<const char*>(function);
  call.duration_ns = 10'000;
  call.stream = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream));
  fake_call(&call);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void**, void**) {
  FakeCall call{};
  call.driver = 1;
  call.callback = 652;
  call.operation = FAKE_KERNEL;
  call.name = reinterpret_cast<const char*>(function);
  call.duration_ns = 10'000;
  call.stream = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(config->hStream));
  fake_call(&call);
  return CUDA_SUCCESS;
}

}  // extern "C"
