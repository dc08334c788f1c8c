#include "simulator/study/verdict.hpp"

#include <algorithm>

#include "compressors/spec/registry.hpp"

namespace gradwire {

Verdict compare_with(const Scenario& compressed, Seconds time, const Compression& baseline,
                     const std::string& name, Estimator estimator, const Assumptions& assumptions) {
  Scenario without = compressed;
  without.compression = baseline;
  Verdict verdict;
  verdict.baseline = name;
  verdict.baseline_time = estimate(without, estimator).backward_sync;
  verdict.speedup = verdict.baseline_time / time;
  verdict.speedup_low = verdict.speedup_high = verdict.speedup;
  for_each_corner(assumptions, [&](double slowdown, Seconds latency) {
    const auto at_corner = [&](Scenario scenario) {
      scenario.overlap_slowdown = slowdown;
      scenario.cluster.nic.latency = latency;
      return estimate(scenario, Estimator::kRecurrence).backward_sync;
    };
    const double speedup = at_corner(without) / at_corner(compressed);
    verdict.speedup_low = std::min(verdict.speedup_low, speedup);
    verdict.speedup_high = std::max(verdict.speedup_high, speedup);
  });
  return verdict;
}

std::vector<Verdict> compare_with_baselines(const Scenario& compressed, Seconds time,
                                            Estimator estimator, const Assumptions& assumptions) {
  std::vector<Verdict> verdicts = {
      compare_with(compressed, time, {}, "float32", estimator, assumptions)};
  const Compression half{parse_scheme("fp16"), Seconds{0}, Seconds{0}};
  if (compressed.compression.scheme->spelling() != half.scheme->spelling()) {
    verdicts.push_back(compare_with(compressed, time, half, "fp16", estimator, assumptions));
  }
  return verdicts;
}

}  // namespace gradwire
