// Known work for a GPU, to hold a trace of it against: prints as JSON what it did, counted where it
// was done. Usage: traced_program > program.json. Exit status: 0, or 3 with a sentence where there
// is no GPU that it can use.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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
    for (int i = 0; i < kLaunches; ++i) {
      shift_values<<<kBlocks, kThreads, 0, streams_[0]>>>(first_, kElements, 1.0F);
      require(cudaGetLastError(), "<<<>>>");
      ++tally_.shifts;
      launch_extended();
    }
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
  Tally tally_;
};

/// The objects of check_trace.py.
void print_json(const Bench& bench) {
  const Tally& done = bench.tally();
  std::printf("{\n \"iterations\": %d,\n \"streams\": 2,\n \"kernels\": {\n", kIterations);
  std::printf("  \"shift_values\": {\"count\": %d, \"graph\": false},\n", done.shifts);
  std::printf("  \"scale_values\": {\"count\": %d, \"graph\": false},\n", done.scales);
  std::printf("  \"mirror_values\": {\"count\": %d, \"graph\": false},\n", done.mirrors);
  std::printf("  \"replayed_step\": {\"count\": %d, \"graph\": true},\n",
              done.replays * kGraphNodes);
  std::printf("  \"timed_stretch\": {\"count\": %d, \"graph\": false}\n },\n", done.stretches);
  std::printf(" \"graph_nodes\": %d,\n", kGraphNodes);
  std::printf(" \"copies\": {\"count\": %d, \"bytes\": %zu},\n", done.copies, done.copied_bytes);
  std::printf(" \"memsets\": {\"count\": %d, \"bytes\": %zu},\n", done.memsets, done.set_bytes);
  std::printf(" \"timed_stretch_ns\": [");
  const char* separator = "";
  for (const std::int64_t time : bench.event_nanoseconds()) {
    std::printf("%s%lld", separator, static_cast<long long>(time));
    separator = ", ";
  }
  std::printf("]\n}\n");
}

}  // namespace

int main() {
  try {
    int devices = 0;
    require(cudaGetDeviceCount(&devices), "no GPU here");
    Bench bench;
    for (int i = 0; i < kIterations; ++i) bench.run_iteration();
    print_json(bench);
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "traced_program: %s\n", error.what());
    return 3;
  }
  return 0;
}
