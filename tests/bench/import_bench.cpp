// How fast a Kineto file is imported, plain and gzip, beside unzipping the same gzip file to
// nowhere.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kFileBytes = 200'000'000;
constexpr int kKernelsPerIteration = 1500;

const std::array<const char*, 4> kKernelNames = {
    "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 32, true, 1>(float, float, float, "
    "float, cudnnTensorStruct, float const*, cudnnTensorStruct, float const*)",
    "volta_scudnn_128x64_relu_interior_nn_v1",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
    "at::detail::Array<char*, 3> >(int, at::native::AddFunctor<float>)",
    "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(float const*)",
};

/// Numerical Recipes' linear congruential generator: times and sizes vary as in a real file, which
/// gzip shrinks 15 to 30 times.
class Numbers {
 public:
  unsigned below(unsigned limit) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % limit;
  }

 private:
  unsigned state_ = 1;
};

/// An operator, its launch, both ends of the flow and the kernel, as PyTorch 2.4 writes them.
std::string events_of_kernel(int index, int iteration, std::int64_t ts, Numbers& numbers) {
  const char* name = kKernelNames[numbers.below(kKernelNames.size())];
  const int correlation = 57000 + 3 * (iteration * kKernelsPerIteration + index);
  const bool backward = index > kKernelsPerIteration / 2;
  const int thread = backward ? 5786 : 5555;
  const auto fraction = [&] { return numbers.below(1000); };
  std::string text = fmt::format(
      R"(  {{
    "ph": "X", "cat": "cpu_op", "name": "{}", "pid": 5555, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "External id": {}, "Record function id": {}, "Sequence number": {}, "Fwd thread id": 1, "Ev Idx": {}, "Input Dims": [[32, {}, 56, 56], [64, 64, 3, 3], []], "Input type": ["float", "float", ""]
    }}
  }},
)",
      backward ? "autograd::engine::evaluate_function: CudnnConvolutionBackward0" : "aten::conv2d",
      thread, ts, fraction(), numbers.below(200), fraction(), correlation / 3, correlation / 5,
      correlation / 7, correlation / 2, numbers.below(512));
  const unsigned launch_fraction = fraction();
  const std::int64_t start = ts + 30 + numbers.below(20);
  const unsigned start_fraction = fraction();
  text += fmt::format(
      R"(  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5555, "tid": {0},
    "ts": {1}.{2:03}, "dur": {3}.{4:03},
    "args": {{
      "External id": {5}, "cbid": 211, "correlation": {6}
    }}
  }},
  {{
    "ph": "s", "id": {6}, "pid": 5555, "tid": {0}, "ts": {1}.{2:03},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "f", "id": {6}, "pid": 0, "tid": 7, "ts": {7}.{8:03},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "{9}", "pid": 0, "tid": 7,
    "ts": {7}.{8:03}, "dur": {10}.{11:03},
    "args": {{
      "External id": {5}, "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {6}, "registers per thread": 38, "shared memory": {12},
      "blocks per SM": {13}.{14:06}, "warps per SM": 75.{15:06},
      "grid": [{16}, 1, 1], "block": [512, 1, 1], "est. achieved occupancy %": {17}
    }}
  }},
)",
      thread, ts + 10, launch_fraction, numbers.below(9), fraction(), correlation / 3, correlation,
      start, start_fraction, name, numbers.below(60), fraction(), numbers.below(65536),
      numbers.below(9), numbers.below(1000000), numbers.below(1000000), numbers.below(4096),
      numbers.below(100));
  return text;
}

std::string synthetic_trace() {
  std::string text = "\n{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  Numbers numbers;
  std::int64_t ts = 4458676416788;
  for (int iteration = 0; text.size() < kFileBytes; ++iteration) {
    text += fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#{}\", "
        "\"pid\": 5555, \"tid\": 5555,\n    \"ts\": {}, \"dur\": {}\n  }},\n",
        iteration, ts, 60 * kKernelsPerIteration);
    for (int i = 0; i < kKernelsPerIteration; ++i, ts += 60) {
      text += events_of_kernel(i, iteration, ts, numbers);
    }
  }
  text.resize(text.size() - 2);
  return text + "\n  ]\n}\n";
}

/// The plain and the gzip file, written once and removed at the end.
class Files {
 public:
  Files()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("gradwire-bench-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    const std::string text = synthetic_trace();
    size = text.size();
    std::ofstream(plain(), std::ios::binary) << text;
    gzFile zipped = gzopen(gzip().c_str(), "wb6");
    gzwrite(zipped, text.data(), static_cast<unsigned>(text.size()));
    gzclose(zipped);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::filesystem::path plain() const { return folder_ / "trace.json"; }
  std::filesystem::path gzip() const { return folder_ / "trace.json.gz"; }
  std::size_t size = 0;

 private:
  std::filesystem::path folder_;
};

const Files& files() {
  static const Files kFiles;
  return kFiles;
}

void count_bytes(benchmark::State& state) {
  state.counters["gzip_ratio"] = static_cast<double>(files().size) /
                                 static_cast<double>(std::filesystem::file_size(files().gzip()));
  state.SetBytesProcessed(static_cast<std::int64_t>(files().size) * state.iterations());
}

void BM_ImportPlain(benchmark::State& state) {
  const auto path = files().plain();
  for (auto _ : state) benchmark::DoNotOptimize(import_trace(path, {}));
  count_bytes(state);
}

void BM_ImportGzip(benchmark::State& state) {
  const auto path = files().gzip();
  for (auto _ : state) benchmark::DoNotOptimize(import_trace(path, {}));
  count_bytes(state);
}

void BM_GunzipToNowhere(benchmark::State& state) {
  const std::string path = files().gzip();
  std::vector<char> buffer(128 << 10);
  for (auto _ : state) {
    gzFile zipped = gzopen(path.c_str(), "rb");
    gzbuffer(zipped, 128 << 10);
    while (gzread(zipped, buffer.data(), static_cast<unsigned>(buffer.size())) > 0) {
    }
    gzclose(zipped);
  }
  count_bytes(state);
}

/// The command that users know; a process of its own, so only its wall time counts.
void BM_GzipCommandToNowhere(benchmark::State& state) {
  const std::string command = "gzip -dc '" + files().gzip().string() + "' > /dev/null";
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("gzip -dc failed");
  }
  count_bytes(state);
}

BENCHMARK(BM_ImportPlain)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2.0);
BENCHMARK(BM_ImportGzip)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2.0);
BENCHMARK(BM_GunzipToNowhere)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2.0);
BENCHMARK(BM_GzipCommandToNowhere)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2.0);

}  // namespace
}  // namespace gradwire
