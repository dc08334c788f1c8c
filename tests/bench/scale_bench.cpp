// What one answer costs as the workers grow: the shipped ResNet-50 on nodes of 4 GPUs at 10 Gbps,
// from the scenario to the breakdown, by recurrence and by coupled SimGrid.
//
// Times are processor time, that of the simulation's own process included. "peak_MiB" is the
// largest resident set of any process of one answer, found by wait4 in a copy of this process that
// gives one answer and ends; it holds program, libraries and trace ("nothing" says how much that
// is). scale_plot.py draws the figures.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "platforms/model/catalog.hpp"
#include "simulator/questions/monte_carlo.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/workload_file.hpp"

namespace gradwire {
namespace {

constexpr int kLargest = 16384;

/// What is asked of the job.
enum class Ask {
  kRing,                ///< DDP's five all-reduces as rings
  kNccl,                ///< as NCCL would, rings or double trees by their size
  kJitter,              ///< rings; every rank of a speed of its own
  kStraggler,           ///< rings; one rank at half speed
  kPowersgd,            ///< powersgd of rank 4 behind the backward pass
  kPowersgdOverlapped,  ///< the same by bucket, beside it
};

const SharedValue<Workload>& resnet50() {
  static const SharedValue<Workload> kWorkload = [] {
    WorkloadSource source;
    source.trace =
        std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces/data/v100-resnet50-b32/trace.gwt";
    return read_workload(source, {});
  }();
  return kWorkload;
}

Scenario scenario_of(Ask ask, int workers) {
  Scenario scenario;
  scenario.workload = resnet50();
  scenario.cluster = find_cluster("study-24x4-v100-10g");
  scenario.cluster.nodes = workers / scenario.cluster.gpus_per_node;
  scenario.workers = workers;
  scenario.overlap_slowdown = 1.07;
  if (ask == Ask::kNccl) scenario.all_reduce = "nccl";
  if (ask == Ask::kStraggler) {
    scenario.compute_factors.assign(static_cast<std::size_t>(workers), 1.0);
    scenario.compute_factors[1] = 2.0;
  }
  if (ask == Ask::kJitter) {
    ComputeJitter jitter;
    jitter.sigma = 0.05;
    scenario.compute_factors = draw_factors(scenario, jitter, 1, 0);
  }
  if (ask == Ask::kPowersgd || ask == Ask::kPowersgdOverlapped) {
    const auto mode = ask == Ask::kPowersgd ? CompressionMode::kSerial  //
                                            : CompressionMode::kOverlapped;
    scenario.compression =
        choose_compressor("powersgd:rank=4", scenario, scenario.cluster.device, mode, {})
            .compression;
  }
  return scenario;
}

double processor_seconds() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9 +
         seconds(children.ru_utime) + seconds(children.ru_stime);
}

/// Of a copy of this process that does `work`, and of the processes that it starts.
template <typename Work>
double peak_mebibytes(const Work& work) {
  malloc_trim(0);  // what earlier answers left is not part of this one
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  rusage usage{};
  int status = 0;
  const bool ended = wait4(child, &status, 0, &usage) == child && status == 0;
  return ended ? static_cast<double>(usage.ru_maxrss) / 1024.0 : -1.0;
}

void measure(benchmark::State& state, const Scenario& scenario, Estimator estimator) {
  const auto answer = [&] { benchmark::DoNotOptimize(estimate(scenario, estimator)); };
  for (auto _ : state) {
    const double before = processor_seconds();
    answer();
    state.SetIterationTime(processor_seconds() - before);
  }
  state.counters["peak_MiB"] = peak_mebibytes(answer);
}

void answer(benchmark::State& state, Ask ask, Estimator estimator) {
  measure(state, scenario_of(ask, static_cast<int>(state.range(0))), estimator);
}

void recurrence(benchmark::State& state, Ask ask) { answer(state, ask, Estimator::kRecurrence); }
void coupled(benchmark::State& state, Ask ask) { answer(state, ask, Estimator::kSimgrid); }

void by_workers(benchmark::internal::Benchmark* each) {
  each->RangeMultiplier(2)
      ->Range(8, kLargest)
      ->ArgName("workers")
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}
/// The largest count that is asked of the recurrence.
void by_workers_to_65536(benchmark::internal::Benchmark* each) {
  by_workers(each);
  each->Arg(4 * kLargest);
}

BENCHMARK_CAPTURE(recurrence, ring, Ask::kRing)->Apply(by_workers_to_65536);
BENCHMARK_CAPTURE(recurrence, nccl, Ask::kNccl)->Apply(by_workers_to_65536);
BENCHMARK_CAPTURE(recurrence, jitter, Ask::kJitter)->Apply(by_workers_to_65536);
BENCHMARK_CAPTURE(recurrence, straggler, Ask::kStraggler)->Apply(by_workers_to_65536);
BENCHMARK_CAPTURE(recurrence, powersgd, Ask::kPowersgd)->Apply(by_workers_to_65536);
BENCHMARK_CAPTURE(recurrence, powersgd_overlapped, Ask::kPowersgdOverlapped)
    ->Apply(by_workers_to_65536);
BENCHMARK_CAPTURE(coupled, ring, Ask::kRing)->Apply(by_workers);
BENCHMARK_CAPTURE(coupled, nccl, Ask::kNccl)->Apply(by_workers);
BENCHMARK_CAPTURE(coupled, jitter, Ask::kJitter)->Apply(by_workers);
BENCHMARK_CAPTURE(coupled, straggler, Ask::kStraggler)->Apply(by_workers);
BENCHMARK_CAPTURE(coupled, powersgd, Ask::kPowersgd)->Apply(by_workers);
BENCHMARK_CAPTURE(coupled, powersgd_overlapped, Ask::kPowersgdOverlapped)->Apply(by_workers);

/// 4096 workers and about as many buckets of equal size as the argument says; "buckets" is how many
/// DDP makes of it.
void with_buckets(benchmark::State& state, Estimator estimator) {
  Scenario scenario = scenario_of(Ask::kRing, 4096);
  const Bytes cap{ceil_divide(scenario.workload->total_bytes().count(), state.range(0))};
  scenario.caps = {cap, cap};
  measure(state, scenario, estimator);
  state.counters["buckets"] =
      static_cast<double>(make_buckets(scenario.workload->gradients, scenario.caps).size());
}
void by_buckets(benchmark::internal::Benchmark* each) {
  each->RangeMultiplier(2)->Range(1, 128)->ArgName("about")->UseManualTime()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(with_buckets, recurrence, Estimator::kRecurrence)->Apply(by_buckets);
BENCHMARK_CAPTURE(with_buckets, coupled, Estimator::kSimgrid)->Apply(by_buckets);

/// The memory of a process that knows the trace and asks nothing.
void nothing(benchmark::State& state) {
  resnet50();
  for (auto _ : state) state.SetIterationTime(1e-9);
  state.counters["peak_MiB"] = peak_mebibytes([] {});
}
BENCHMARK(nothing)->UseManualTime()->Iterations(1);

}  // namespace
}  // namespace gradwire
