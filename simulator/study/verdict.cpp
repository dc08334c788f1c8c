#include "simulator/study/verdict.hpp"

#include <algorithm>

#include "compressors/spec/registry.hpp"

namespace gradwire {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kWin:
      return "win";
    case Outcome::kTie:
      return "tie";
    case Outcome::kLoss:
      break;
  }
  return "loss";
}

Outcome outcome_at(double speedup) {
  if (speedup > 1.0 - kTieBand && speedup < 1.0 + kTieBand) return Outcome::kTie;
  return speedup > 1.0 ? Outcome::kWin : Outcome::kLoss;
}

namespace {

Verdict compare(const CornerTimes& compressed, const CornerTimes& baseline, std::string name) {
  Verdict verdict;
  verdict.baseline = std::move(name);
  verdict.baseline_time = baseline.here;
  verdict.speedup = baseline.here / compressed.here;
  verdict.speedup_low = verdict.speedup_high = verdict.speedup;
  for (std::size_t i = 0; i < compressed.corners.size(); ++i) {
    const double speedup = baseline.corners[i] / compressed.corners[i];
    verdict.speedup_low = std::min(verdict.speedup_low, speedup);
    verdict.speedup_high = std::max(verdict.speedup_high, speedup);
  }
  return verdict;
}

}  // namespace

BaselineTimes baseline_times(const Scenario& scenario, const Assumptions& assumptions,
                             const SimgridSettings& simgrid) {
  Scenario without = scenario;
  without.compression = {};
  BaselineTimes times;
  times.float32 = corner_times(without, assumptions, simgrid);
  without.compression.scheme = parse_scheme("fp16");
  times.fp16 = corner_times(without, assumptions, simgrid);
  return times;
}

std::vector<Verdict> compare_with_baselines(const CornerTimes& compressed,
                                            const BaselineTimes& baselines, const Scheme& scheme) {
  std::vector<Verdict> verdicts = {compare(compressed, baselines.float32, "float32")};
  if (scheme.spelling() != "fp16") {
    verdicts.push_back(compare(compressed, baselines.fp16, "fp16"));
  }
  return verdicts;
}

}  // namespace gradwire
