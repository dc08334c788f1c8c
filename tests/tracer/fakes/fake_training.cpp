// A training loop without PyTorch and without a GPU: what one calls of CUDA, against whatever
// libcuda.so.1 the loader finds; README.md says how to run it under the fakes.
//   fake_training [iterations=3] [kernels=10] [end=return|_exit|kill|abort|exec] [fork=1] [marks=1]
// An iteration is kernels/2 launches by the runtime (211 and 505 in turn), then, in the backward
// pass, kernels/2 by cuLaunchKernelEx (652), each of which makes a gradient ready; a copy of 1 MiB,
// a fill of 4096 bytes, a graph of 3 kernels, and a wait for the stream.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/tracer/fakes/fake_driver.h"
#include "tracer/marks/gradwire_tracer.h"

namespace {

std::string option(int count, char** values, const std::string& name, const char* otherwise) {
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    if (value.rfind(name + "=", 0) == 0) return value.substr(name.size() + 1);
  }
  return otherwise;
}

template <typename Function>
Function function_of(void* library, const char* name, Function /*like*/) {
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

/// Marks of the tracer, where one is loaded.
struct Marks {
  void (*mark)(int, uint64_t) = nullptr;
  void (*parameter)(uint64_t, const char*, const int64_t*, uint32_t, const char*) = nullptr;

  void operator()(int kind, int number) const {
    if (mark != nullptr) mark(kind, static_cast<uint64_t>(number));
  }
};

struct Calls {
  void (*play)(const FakeCall*) = nullptr;

  void kernel(bool driver, uint32_t callback, const char* name) const {
    FakeCall call{};
    call.driver = driver ? 1 : 0;
    call.callback = callback;
    call.operation = FAKE_KERNEL;
    call.name = name;
    call.duration_ns = 20'000;
    call.stream = 7;
    play(&call);
  }
  void other(uint32_t callback, int operation, uint64_t bytes) const {
    FakeCall call{};
    call.callback = callback;
    call.operation = operation;
    call.bytes = bytes;
    call.duration_ns = 5000;
    call.stream = 7;
    play(&call);
  }
  void graph() const {
    FakeCall call{};
    call.callback = 311;  // cudaGraphLaunch
    call.operation = FAKE_KERNEL;
    call.name = "_Z10graph_nodev";
    call.duration_ns = 10'000;
    call.stream = 7;
    call.graph = 4;
    call.nodes = 3;
    play(&call);
  }
};

void train(int iterations, int kernels, const Calls& calls, const Marks& marks) {
  for (int iteration = 0; iteration < iterations; ++iteration) {
    marks(GW_ITERATION_BEGIN, iteration);
    calls.other(41, FAKE_MEMCPY, 1U << 20U);  // cudaMemcpyAsync
    calls.other(51, FAKE_MEMSET, 4096);       // cudaMemsetAsync
    for (int i = 0; i < kernels / 2; ++i) {
      calls.kernel(false, i % 2 == 0 ? 211 : 505, "_Z7forwardPKfPf");
    }
    marks(GW_BACKWARD_BEGIN, 0);
    for (int i = kernels / 2; i < kernels; ++i) {
      calls.kernel(true, 652, "_Z8backwardPKfPf");
      marks(GW_GRADIENT_READY, kernels - 1 - i);
    }
    marks(GW_BACKWARD_END, 0);
    marks(GW_OPTIMIZER_BEGIN, 0);
    calls.graph();
    marks(GW_OPTIMIZER_END, 0);
    calls.other(131, FAKE_WAIT, 0);    // cudaStreamSynchronize
    calls.other(17, FAKE_NOTHING, 0);  // cudaGetDevice: nothing that the tracer keeps
    marks(GW_ITERATION_END, iteration);
  }
}

/// A worker that loads data: a child that never calls CUDA.
void fork_worker() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = 0;
  waitpid(child, &status, 0);
}

}  // namespace

int main(int count, char** values) {
  const int iterations = std::atoi(option(count, values, "iterations", "3").c_str());
  const int kernels = std::atoi(option(count, values, "kernels", "10").c_str());
  const std::string end = option(count, values, "end", "return");
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto initialize = function_of(driver, "cuInit", static_cast<int (*)(unsigned)>(nullptr));
  Calls calls;
  calls.play = function_of(driver, "fake_call", calls.play);
  if (initialize == nullptr || calls.play == nullptr) {
    std::fputs("fake_training: no fake libcuda.so.1 is here (LD_LIBRARY_PATH)\n", stderr);
    return 3;
  }
  if (initialize(0) != 0) return 1;
  Marks marks;
  const char* tracer = std::getenv("CUDA_INJECTION64_PATH");
  if (option(count, values, "marks", "1") == "1" && tracer != nullptr) {
    void* library = dlopen(tracer, RTLD_NOW | RTLD_NOLOAD);
    marks.mark = function_of(library, "gw_mark", marks.mark);
    marks.parameter = function_of(library, "gw_parameter", marks.parameter);
  }
  for (int i = 0; marks.parameter != nullptr && i < kernels - kernels / 2; ++i) {
    const int64_t shape[] = {64, 100 + i};
    marks.parameter(static_cast<uint64_t>(i), ("layer" + std::to_string(i)).c_str(), shape, 2,
                    "float32");
  }
  if (option(count, values, "fork", "0") == "1") fork_worker();
  train(iterations, kernels, calls, marks);
  if (end != "return") usleep(600'000);  // the tracer writes every 200 ms
  if (end == "_exit") _exit(7);
  if (end == "kill") raise(SIGKILL);
  if (end == "abort") raise(SIGABRT);
  if (end == "exec") {
    execl("/proc/self/exe", values[0], "iterations=1", "kernels=10", static_cast<char*>(nullptr));
  }
  return 0;
}
