// Samples of jitter over the shipped ResNet-50, beside one plain run of the recurrence on the same
// plan: equal ranks, played as one.
#include <benchmark/benchmark.h>

#include "platforms/model/catalog.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/questions/monte_carlo.hpp"
#include "simulator/study/workload_file.hpp"

namespace gradwire {
namespace {

Scenario resnet50(int workers) {
  WorkloadSource source;
  source.trace =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces/data/v100-resnet50-b32/trace.gwt";
  Scenario scenario;
  scenario.workload = read_workload(source, {});
  scenario.cluster = find_cluster("study-24x4-v100-10g");
  scenario.workers = workers;
  scenario.overlap_slowdown = 1.07;
  return scenario;
}

/// DDP's five all-reduces; "items" are samples.
void monte_carlo(benchmark::State& state) {
  const Scenario scenario = resnet50(static_cast<int>(state.range(0)));
  ComputeJitter jitter;
  jitter.sigma = 0.05;
  constexpr int kSamples = 1000;
  for (auto _ : state) {
    benchmark::DoNotOptimize(play_samples(scenario, jitter, {kSamples, 1}));
  }
  state.SetItemsProcessed(state.iterations() * kSamples);
}
BENCHMARK(monte_carlo)->Arg(64)->Arg(96)->ArgName("workers")->Unit(benchmark::kMillisecond);

void plain_recurrence(benchmark::State& state) {
  const Scenario scenario = resnet50(static_cast<int>(state.range(0)));
  const Plan plan = make_plan(scenario);
  for (auto _ : state) {
    benchmark::DoNotOptimize(quick_recurrence_end(plan, scenario.cluster));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plain_recurrence)->Arg(64)->Arg(96)->ArgName("workers")->Unit(benchmark::kMicrosecond);

/// The same plan rank by rank.
void plain_recurrence_rank_by_rank(benchmark::State& state) {
  const Scenario scenario = resnet50(static_cast<int>(state.range(0)));
  Plan plan = make_plan(scenario);
  plan.compute_factors.assign(static_cast<std::size_t>(scenario.workers), 1.0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(recurrence_end(plan, scenario.cluster));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plain_recurrence_rank_by_rank)
    ->Arg(64)
    ->Arg(96)
    ->ArgName("workers")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gradwire
