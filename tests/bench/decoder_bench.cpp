// How fast the tracer's writer thread reads CUPTI's buffers, stepping by NVIDIA's own walker: one
// buffer as the session's pool has them, made by hand.
#include <benchmark/benchmark.h>

#include <cstddef>

#include "tests/tracer/cupti/activity_buffer.hpp"
#include "tracer/capture/buffer_pool.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kStartNs = 1'700'000'000'000'000'000;
constexpr std::uint32_t kLaunchKernel = 211;  // cudaLaunchKernel

/// Touches what it is given and keeps nothing.
class CountingSink final : public RecordSink {
 public:
  void take(const DeviceOperation& operation) override { sum_ += operation.end_ns; }
  void take(const HostCall& call) override { sum_ += call.end_ns; }
  void take(const CaptureSpan& span) override { sum_ += span.end_ns; }
  void take(const CaptureDevice& device) override { sum_ += device.index; }
  void count_unknown_record() override { ++sum_; }
  void count_lost_buffer() override { ++sum_; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// A full buffer of kernels, or of a launch and its kernel in turn.
ActivityBuffer full_buffer(bool with_launches, std::int64_t& records) {
  ActivityBuffer buffer;
  std::uint32_t correlation = 0;
  while (buffer.size() + sizeof(CUpti_ActivityKernel10) + sizeof(CUpti_ActivityAPI) <=
         BufferPool::kBufferBytes) {
    ++correlation;
    const std::uint64_t time_ns = kStartNs + correlation * std::uint64_t{5000};
    if (with_launches) {
      buffer.append(
          call_record(CUPTI_ACTIVITY_KIND_RUNTIME, kLaunchKernel, time_ns - 4000, correlation));
    }
    buffer.append(kernel_record("_Z9elementwisePfS_i", time_ns, correlation));
    records += with_launches ? 2 : 1;
  }
  return buffer;
}

void decode(benchmark::State& state, bool with_launches) {
  std::int64_t records = 0;
  ActivityBuffer buffer = full_buffer(with_launches, records);
  const RecordWalker walker = real_walker();
  CountingSink sink;
  for (auto _ : state) decode_activities(walker, buffer.full(), sink);
  benchmark::DoNotOptimize(sink.sum());
  state.SetItemsProcessed(state.iterations() * records);
}

void BM_DecodeKernels(benchmark::State& state) { decode(state, false); }
void BM_DecodeKernelsAndLaunches(benchmark::State& state) { decode(state, true); }

/// What of it is NVIDIA's.
void BM_WalkKernelsOnly(benchmark::State& state) {
  std::int64_t records = 0;
  ActivityBuffer buffer = full_buffer(false, records);
  const RecordWalker walker = real_walker();
  const FullBuffer full = buffer.full();
  for (auto _ : state) {
    CUpti_Activity* record = nullptr;
    while (walker(full.bytes, full.size, &record) == CUPTI_SUCCESS) {
    }
    benchmark::DoNotOptimize(record);
  }
  state.SetItemsProcessed(state.iterations() * records);
}

BENCHMARK(BM_DecodeKernels);
BENCHMARK(BM_DecodeKernelsAndLaunches);
BENCHMARK(BM_WalkKernelsOnly);

}  // namespace
}  // namespace gradwire
