// Whole studies as `gradwire study` runs them, reading of the traces, all processes, bands and
// verdicts included; results.csv apart. Wall time, with as many processes as the machine has cores.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include "simulator/study/run_study.hpp"

namespace gradwire {
namespace {

const std::filesystem::path kExamples = std::filesystem::path(GRADWIRE_SOURCE_DIR) / "examples";

/// The reconstructed grid of 280 cells alone, by one estimator.
StudySpec utility_grid(Estimator estimator) {
  StudySpec spec = read_study(kExamples / "utility-study.txtpb");
  spec.grids.resize(1);
  spec.grids[0].estimators = {estimator};
  spec.counts.clear();
  spec.claims.clear();
  spec.sensitivities.clear();
  return spec;
}

void run(benchmark::State& state, const StudySpec& spec) {
  StudySettings settings;
  settings.processes = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::size_t cells = 0;
  for (auto _ : state) {
    const StudyOutcome outcome = run_study(spec, settings, {});
    cells = outcome.rows.size();
    benchmark::DoNotOptimize(outcome.largest_disagreement);
  }
  state.counters["cells"] = static_cast<double>(cells);
}

void utility_by_simgrid(benchmark::State& state) { run(state, utility_grid(Estimator::kSimgrid)); }
BENCHMARK(utility_by_simgrid)->Unit(benchmark::kMillisecond)->UseRealTime();

void utility_by_recurrence(benchmark::State& state) {
  run(state, utility_grid(Estimator::kRecurrence));
}
BENCHMARK(utility_by_recurrence)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 100 240 cells: the grid at 358 bandwidths from 1 Gbps up.
void hundred_thousand_by_recurrence(benchmark::State& state) {
  StudySpec spec = utility_grid(Estimator::kRecurrence);
  spec.grids[0].bandwidths.clear();
  while (cell_count(spec) < 100'000) {
    const auto count = static_cast<double>(spec.grids[0].bandwidths.size());
    spec.grids[0].bandwidths.emplace_back(1e9 + count * 80e6);
  }
  run(state, spec);
}
BENCHMARK(hundred_thousand_by_recurrence)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

void utility_study_whole(benchmark::State& state) {
  run(state, read_study(kExamples / "utility-study.txtpb"));
}
BENCHMARK(utility_study_whole)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace gradwire
