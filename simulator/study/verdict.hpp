#pragma once

#include <string>
#include <vector>

#include "simulator/study/assumption_band.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {

/// Within this fraction two times count as equal: verdicts near the crossover flip on bucket
/// rounding alone.
inline constexpr double kTie = 0.03;

/// How a compressor does against training without it.
struct Verdict {
  std::string baseline;      ///< "float32", "fp16"
  Seconds baseline_time{0};  ///< backward plus synchronisation
  double speedup = 1.0;      ///< baseline over compressed: above 1 the compressor is faster
  double speedup_low = 1.0;  ///< while the assumptions move inside their bands, alike for both
  double speedup_high = 1.0;

  bool is_tie() const { return speedup > 1.0 - kTie && speedup < 1.0 + kTie; }
};

/// Compares `compressed` with the same scenario whose compression is `baseline`. `time` is the
/// compressed scenario's by `estimator`.
Verdict compare_with(const Scenario& compressed, Seconds time, const Compression& baseline,
                     const std::string& name, Estimator estimator, const Assumptions& assumptions);

/// Against DDP in float32, and in float16 unless that is what the scenario has.
std::vector<Verdict> compare_with_baselines(const Scenario& compressed, Seconds time,
                                            Estimator estimator, const Assumptions& assumptions);

}  // namespace gradwire
