// One ring all-reduce of 100 MB among 96 ranks at 10 Gbps and 20 us a hop, by every engine.
// The simulations run in processes of their own; what is counted is their processor time, so that
// other work on the machine disturbs little.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>

#include "simulator/collectives/registry.hpp"
#include "simulator/engine/recurrence/collective_recurrence.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr int kRanks = 96;

std::shared_ptr<const Schedule> hundred_megabytes(int ranks) {
  return make_schedule({CollectiveKind::kAllReduce, Elements{25'000'000}, Bytes{4}}, ranks);
}

Plan row_of(int collectives, int ranks) {
  return test::collectives_in_a_row(
      {static_cast<std::size_t>(collectives), hundred_megabytes(ranks)});
}

/// Flat, or 24 nodes of 4 GPUs: three quarters of the ring's edges stay inside a node.
Cluster cluster_of(bool mixed) {
  return mixed ? test::mixed_cluster(kRanks / 4, 4) : test::flat_cluster(kRanks, 10e9, 20e-6);
}

void recurrence_rank_by_rank(benchmark::State& state) {
  const Cluster cluster = cluster_of(state.range(0) != 0);
  const auto schedule = hundred_megabytes(kRanks);
  CollectiveRecurrence collectives(cluster, LatencyMode::kBlocking, kRanks);
  std::vector<double> times;
  for (auto _ : state) {
    times.assign(kRanks, 0.0);
    collectives.play(*schedule, times);
    benchmark::DoNotOptimize(times.data());
  }
}
BENCHMARK(recurrence_rank_by_rank)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("mixed_links")
    ->Unit(benchmark::kMicrosecond);

void recurrence_equal_ranks(benchmark::State& state) {
  const Cluster cluster = cluster_of(false);
  const auto schedule = hundred_megabytes(kRanks);
  CollectiveRecurrence collectives(cluster, LatencyMode::kBlocking, kRanks);
  for (auto _ : state) {
    Seconds latency{0};
    benchmark::DoNotOptimize(collectives.play_equal_ranks(*schedule, Seconds{0}, latency));
  }
}
BENCHMARK(recurrence_equal_ranks)->Unit(benchmark::kMicrosecond);

double processor_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double processor_seconds(const Plan& plan, const Cluster& cluster,
                         const SimgridSettings& settings) {
  const double before = processor_seconds_of_children();
  benchmark::DoNotOptimize(play_simgrid(plan, cluster, {}, settings));
  return processor_seconds_of_children() - before;
}

/// What one collective more costs where engine and platform stand already: a row of many, less one
/// alone, each in a process of its own.
void marginal(benchmark::State& state, const SimgridSettings& settings, int many) {
  const int ranks = static_cast<int>(state.range(0));
  const Cluster cluster = test::flat_cluster(ranks, 10e9, 20e-6);
  const Plan one = row_of(1, ranks);
  const Plan row = row_of(many, ranks);
  for (auto _ : state) {
    const double alone = processor_seconds(one, cluster, settings);
    const double together = processor_seconds(row, cluster, settings);
    state.SetIterationTime(std::max(0.0, together - alone) / (many - 1));
  }
}

void simgrid_coupled(benchmark::State& state) {
  marginal(state, {SimgridMode::kCoupled, true}, 2000);
}
void simgrid_coupled_not_collapsed(benchmark::State& state) {
  marginal(state, {SimgridMode::kCoupled, false}, 200);
}
void simgrid_step(benchmark::State& state) { marginal(state, {SimgridMode::kStep, false}, 9); }

// A fixed number of repetitions: an iteration is worth a thousandth of what it takes to measure it.
BENCHMARK(simgrid_coupled)
    ->Arg(kRanks)
    ->Arg(1024)
    ->ArgName("ranks")
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(simgrid_coupled_not_collapsed)
    ->Arg(kRanks)
    ->ArgName("ranks")
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(simgrid_step)
    ->Arg(kRanks)
    ->ArgName("ranks")
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// A whole simulation of one collective: process, engine, platform and answer included.
void simgrid_from_nothing(benchmark::State& state) {
  const Cluster cluster = cluster_of(false);
  const Plan plan = row_of(1, kRanks);
  const SimgridMode mode = state.range(0) != 0 ? SimgridMode::kStep : SimgridMode::kCoupled;
  for (auto _ : state) state.SetIterationTime(processor_seconds(plan, cluster, {mode, true}));
}
BENCHMARK(simgrid_from_nothing)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("step")
    ->Iterations(20)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gradwire
