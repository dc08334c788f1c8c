// Known work for a GPU, to hold a trace of it against: traced_program PROGRAM.json writes there
// what it did, counted where it was done. Exit status: 0; 2 for a wrong command line; 3 with a
// sentence where there is no GPU that it can use, or the file cannot be written.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tracer/marks/gradwire_marks.hpp"

namespace {

constexpr int kIterations = 10;
constexpr int kLaunches = 400;  // an iteration, of each of the two plain kernels
constexpr int kCooperativeLaunches = 20;
constexpr int kCopies = 10;
constexpr int kReplays = 5;
constexpr int kGraphNodes = 3;
constexpr int kStretches = 2;
constexpr std::size_t kBytes = 1U << 20U;  // of a copy and of a memset
constexpr int kElements = kBytes / sizeof(float);
constexpr int kThreads = 256;
constexpr int kBlocks = 8;                    // few enough for a cooperative launch anywhere
constexpr long long kSpinCycles = 1'000'000;  // about half a millisecond at 2 GHz

__global__ void shift_values(float* values, int count, float by) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) values[index] += by;
}

__global__ void scale_values(float* values, int count, float by) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) values[index] *= by;
}

__global__ void mirror_values(float* values, int count) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float seen = index < count ? values[count - 1 - index] : 0.0F;
  cooperative_groups::this_grid().sync();
  if (index < count) values[index] = seen;
}

__global__ void replayed_step(float* values, int count) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) values[index] = -values[index];
}

__global__ void timed_stretch(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// What was done so far.
struct Tally {
  int shifts = 0;
  int scales = 0;
  int mirrors = 0;
  int replays = 0;
  int copies = 0;
  std::size_t copied_bytes = 0;
  int memsets = 0;
  std::size_t set_bytes = 0;
  int stretches = 0;
  int gradients = 0;
};

/// Device memory, pinned memory, two streams, and a graph of kGraphNodes kernels one after another.
class Bench {
 public:
  Bench() {
    require(cudaMalloc(&first_, kBytes), "cudaMalloc");
    require(cudaMalloc(&second_, kBytes), "cudaMalloc");
    require(cudaMallocHost(&host_, kBytes), "cudaMallocHost");
    for (int i = 0; i < kElements; ++i) host_[i] = static_cast<float>(i);
    for (cudaStream_t& stream : streams_) {
      require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    }
    build_graph();
  }

  void run_iteration() {
    copy_and_set();
    launch_backward();
    for (int i = 0; i < kCooperativeLaunches; ++i) launch_cooperative();
    for (int i = 0; i < kReplays; ++i) {
      require(cudaGraphLaunch(graph_, streams_[0]), "cudaGraphLaunch");
      ++tally_.replays;
    }
    for (int i = 0; i < kStretches; ++i) time_stretch();
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  const Tally& tally() const { return tally_; }

  /// Of each timed stretch, by CUDA events around it.
  std::vector<std::int64_t> event_nanoseconds() const {
    std::vector<std::int64_t> times;
    for (const auto& [begin, end] : events_) {
      float milliseconds = 0;
      require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
      times.push_back(static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6));
    }
    return times;
  }

 private:
  void build_graph() {
    cudaGraph_t graph = nullptr;
    require(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
    int count = kElements;
    std::array<void*, 2> arguments = {&first_, &count};
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(replayed_step);
    parameters.gridDim = dim3(kBlocks);
    parameters.blockDim = dim3(kThreads);
    parameters.kernelParams = arguments.data();
    cudaGraphNode_t before = nullptr;
    for (int i = 0; i < kGraphNodes; ++i) {
      cudaGraphNode_t node = nullptr;
      require(cudaGraphAddKernelNode(&node, graph, &before, i == 0 ? 0 : 1, &parameters),
              "cudaGraphAddKernelNode");
      before = node;
    }
    require(cudaGraphInstantiateWithFlags(&graph_, graph, 0), "cudaGraphInstantiate");
    require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }

  void copy_and_set() {
    for (int i = 0; i < kCopies; ++i) {
      require(cudaMemcpyAsync(first_, host_, kBytes, cudaMemcpyHostToDevice, streams_[0]),
              "cudaMemcpyAsync");
      ++tally_.copies;
      tally_.copied_bytes += kBytes;
    }
    require(cudaMemsetAsync(second_, 0, kBytes, streams_[1]), "cudaMemsetAsync");
    ++tally_.memsets;
    tally_.set_bytes += kBytes;
  }

  /// Stands for a backward pass of two parameters: one is ready half way, one at the end.
  void launch_backward() {
    const gradwire::BackwardScope backward;
    for (int i = 0; i < kLaunches; ++i) {
      shift_values<<<kBlocks, kThreads, 0, streams_[0]>>>(first_, kElements, 1.0F);
      require(cudaGetLastError(), "<<<>>>");
      ++tally_.shifts;
      launch_extended();
      if (i + 1 == kLaunches / 2) mark_ready(late_);
    }
    mark_ready(early_);
  }

  void mark_ready(const gradwire::MarkedParameter& parameter) {
    parameter.gradient_ready();
    ++tally_.gradients;
  }

  void launch_extended() {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(kBlocks);
    config.blockDim = dim3(kThreads);
    config.stream = streams_[1];
    require(cudaLaunchKernelEx(&config, scale_values, second_, kElements, 0.5F),
            "cudaLaunchKernelEx");
    ++tally_.scales;
  }

  void launch_cooperative() {
    int count = kElements;
    std::array<void*, 2> arguments = {&first_, &count};
    require(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(mirror_values), dim3(kBlocks),
                                        dim3(kThreads), arguments.data(), 0, streams_[0]),
            "cudaLaunchCooperativeKernel");
    ++tally_.mirrors;
  }

  /// Waits first, so that the events hold the kernel alone.
  void time_stretch() {
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    require(cudaEventCreate(&begin), "cudaEventCreate");
    require(cudaEventCreate(&end), "cudaEventCreate");
    require(cudaEventRecord(begin, streams_[0]), "cudaEventRecord");
    timed_stretch<<<1, 1, 0, streams_[0]>>>(kSpinCycles);
    require(cudaGetLastError(), "<<<>>>");
    require(cudaEventRecord(end, streams_[0]), "cudaEventRecord");
    events_.emplace_back(begin, end);
    ++tally_.stretches;
  }

  float* first_ = nullptr;
  float* second_ = nullptr;
  float* host_ = nullptr;
  std::array<cudaStream_t, 2> streams_ = {};
  cudaGraphExec_t graph_ = nullptr;
  std::vector<std::pair<cudaEvent_t, cudaEvent_t>> events_;
  gradwire::MarkedParameter late_{"late.weight", {16, 4}};  // of the model's end: ready first
  gradwire::MarkedParameter early_{"early.weight", {32}};
  Tally tally_;
};

/// The objects of check_trace.py.
void write_json(const Bench& bench, std::FILE* file) {
  const Tally& done = bench.tally();
  std::fprintf(file, "{\n \"iterations\": %d,\n \"streams\": 2,\n \"kernels\": {\n", kIterations);
  std::fprintf(file, "  \"shift_values\": {\"count\": %d, \"graph\": false},\n", done.shifts);
  std::fprintf(file, "  \"scale_values\": {\"count\": %d, \"graph\": false},\n", done.scales);
  std::fprintf(file, "  \"mirror_values\": {\"count\": %d, \"graph\": false},\n", done.mirrors);
  std::fprintf(file, "  \"replayed_step\": {\"count\": %d, \"graph\": true},\n",
               done.replays * kGraphNodes);
  std::fprintf(file, "  \"timed_stretch\": {\"count\": %d, \"graph\": false}\n },\n",
               done.stretches);
  std::fprintf(file, " \"gradients\": %d,\n", done.gradients);
  std::fprintf(file, " \"graph_nodes\": %d,\n", kGraphNodes);
  std::fprintf(file, " \"copies\": {\"count\": %d, \"bytes\": %zu},\n", done.copies,
               done.copied_bytes);
  std::fprintf(file, " \"memsets\": {\"count\": %d, \"bytes\": %zu},\n", done.memsets,
               done.set_bytes);
  std::fprintf(file, " \"timed_stretch_ns\": [");
  const char* separator = "";
  for (const std::int64_t time : bench.event_nanoseconds()) {
    std::fprintf(file, "%s%lld", separator, static_cast<long long>(time));
    separator = ", ";
  }
  std::fprintf(file, "]\n}\n");
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: traced_program PROGRAM.json\n");
    return 2;
  }
  try {
    int devices = 0;
    require(cudaGetDeviceCount(&devices), "no GPU here");
    Bench bench;
    for (int i = 0; i < kIterations; ++i) {
      const gradwire::IterationScope iteration(static_cast<std::uint64_t>(i));
      bench.run_iteration();
    }
    std::FILE* file = std::fopen(words[1], "w");
    if (file == nullptr) throw std::runtime_error(std::string(words[1]) + ": cannot be written");
    write_json(bench, file);
    if (std::fclose(file) != 0) throw std::runtime_error(std::string(words[1]) + ": not written");
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "traced_program: %s\n", error.what());
    return 3;
  }
  return 0;
}
