// What the tracer costs outside CUPTI: a host event on the program's thread, a record on the
// writer's.
#include <benchmark/benchmark.h>
#include <fcntl.h>

#include <string>
#include <vector>

#include "base/crc32c.hpp"
#include "tracer/capture/capture_writer.hpp"
#include "tracer/capture/event_queue.hpp"
#include "tracer/marks/gradwire_tracer.h"

namespace gradwire {
namespace {

std::vector<DeviceOperation> kernels(const std::vector<std::string>& names) {
  std::vector<DeviceOperation> operations(10'000);
  std::uint64_t time_ns = 1'700'000'000'000'000'000U;
  std::uint32_t correlation = 0;
  for (DeviceOperation& operation : operations) {
    operation.name = names[correlation % names.size()].c_str();
    operation.start_ns = time_ns;
    operation.end_ns = time_ns + 12'345;
    operation.context = 1;
    operation.stream = 7;
    operation.correlation = ++correlation;
    operation.grid = {1024, 1, 1};
    operation.block = {256, 1, 1};
    operation.registers = 64;
    time_ns += 13'000;
  }
  return operations;
}

/// Encoding, checksum and write(2) to /dev/null of kernels with 100 names of 200 characters.
void write_kernels(benchmark::State& state) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(std::string(200, 'k') + std::to_string(i));
  const std::vector<DeviceOperation> operations = kernels(names);
  CaptureWriter writer;
  if (!writer.open({})) return state.SkipWithError("no memory");
  writer.output().adopt(open("/dev/null", O_WRONLY | O_CLOEXEC));
  writer.begin({});
  for (auto _ : state) {
    for (const DeviceOperation& operation : operations) writer.take(operation);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(operations.size()));
}
BENCHMARK(write_kernels)->Unit(benchmark::kMicrosecond);

void checksum(benchmark::State& state) {
  const std::string bytes(1U << 20U, 'x');
  for (auto _ : state) benchmark::DoNotOptimize(crc32c(bytes));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(checksum)->Unit(benchmark::kMicrosecond);

/// The queue alone, drained by nobody else.
void push_event(benchmark::State& state) {
  static Wakeup wake;
  static EventQueue queue(wake);
  if (!queue.open()) return state.SkipWithError("no memory");
  HostEvent event;
  std::uint64_t pushed = 0;
  for (auto _ : state) {
    queue.push(event, pushed, 1);
    if (++pushed % 100'000 == 0) {
      state.PauseTiming();
      queue.drain([](const TimedHostEvent&) {});
      state.ResumeTiming();
    }
  }
}
BENCHMARK(push_event);

/// gw_mark as a program calls it, while a session writes to a file in /tmp or $GRADWIRE_CAPTURE.
void mark(benchmark::State& state) {
  if (state.thread_index() == 0) gw_start("/tmp/gradwire-tracer-bench");
  for (auto _ : state) gw_mark(GW_GRADIENT_READY, 7);
  if (state.thread_index() == 0) gw_stop();
}
BENCHMARK(mark)->Threads(1)->Threads(2)->UseRealTime()->Iterations(1'000'000);

/// Without a session.
void mark_of_nobody(benchmark::State& state) {
  for (auto _ : state) gw_mark(GW_GRADIENT_READY, 7);
}
BENCHMARK(mark_of_nobody);

}  // namespace
}  // namespace gradwire
