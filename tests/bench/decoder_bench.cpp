// How fast the tracer's writer thread reads CUPTI's buffers, stepping by NVIDIA's own walker: a
// session's buffers, made by hand: one that stays in the cache, and 64, which do not.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <new>
#include <vector>

#include "tests/tracer/cupti/activity_buffer.hpp"
#include "tracer/capture/buffer_pool.hpp"
#include "tracer/capture/capture_encoder.hpp"

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

/// Encodes and checks sums as the writer thread does, and throws the frames away.
class EncodingSink final : public RecordSink {
 public:
  EncodingSink() {
    if (!encoder_.open()) throw std::bad_alloc();
  }
  void take(const DeviceOperation& operation) override { put(operation); }
  void take(const HostCall& call) override { put(call); }
  void take(const CaptureSpan& span) override { put(span); }
  void take(const CaptureDevice& device) override { put(device); }
  void count_unknown_record() override {}
  void count_lost_buffer() override {}
  std::uint64_t sum() const { return bytes_; }

 private:
  template <typename Record>
  void put(const Record& record) {
    encoder_.put(record);
    if (encoder_.full()) bytes_ += encoder_.take_frame().size();
  }

  CaptureEncoder encoder_;
  std::uint64_t bytes_ = 0;
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

template <typename Sink>
void decode(benchmark::State& state, bool with_launches) {
  std::vector<ActivityBuffer> buffers;
  std::int64_t records = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    buffers.push_back(full_buffer(with_launches, records));
  }
  const RecordWalker walker = real_walker();
  Sink sink;
  for (auto _ : state) {
    for (ActivityBuffer& buffer : buffers) decode_activities(walker, buffer.full(), sink);
  }
  benchmark::DoNotOptimize(sink.sum());
  state.SetItemsProcessed(state.iterations() * records);
}

void BM_DecodeKernels(benchmark::State& state) { decode<CountingSink>(state, false); }
void BM_DecodeKernelsAndLaunches(benchmark::State& state) { decode<CountingSink>(state, true); }
void BM_DecodeAndEncodeKernels(benchmark::State& state) { decode<EncodingSink>(state, false); }
void BM_DecodeAndEncodeKernelsAndLaunches(benchmark::State& state) {
  decode<EncodingSink>(state, true);
}

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

BENCHMARK(BM_DecodeKernels)->ArgName("buffers")->Arg(1)->Arg(64);
BENCHMARK(BM_DecodeKernelsAndLaunches)->ArgName("buffers")->Arg(1)->Arg(64);
BENCHMARK(BM_DecodeAndEncodeKernels)->ArgName("buffers")->Arg(64);
BENCHMARK(BM_DecodeAndEncodeKernelsAndLaunches)->ArgName("buffers")->Arg(64);
BENCHMARK(BM_WalkKernelsOnly);

}  // namespace
}  // namespace gradwire
