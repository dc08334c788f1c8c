#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/study/assumption_band.hpp"

namespace gradwire {

/// Within this fraction two times count as equal: verdicts near the crossover flip on bucket
/// rounding alone.
inline constexpr double kTieBand = 0.03;

enum class Outcome { kWin, kTie, kLoss };

/// "win", "tie", "loss".
std::string_view name_of(Outcome outcome);

Outcome outcome_at(double speedup);

/// How a compressor does against training without it.
struct Verdict {
  std::string baseline;      ///< "float32", "fp16"
  Seconds baseline_time{0};  ///< backward plus synchronisation
  double speedup = 1.0;      ///< baseline over compressed: above 1 the compressor is faster
  double speedup_low = 1.0;  ///< while the assumptions move inside their bands, alike for both
  double speedup_high = 1.0;
  /// The same on one switch of equal NICs with this job alone on it, where the network is more.
  std::optional<double> nominal_speedup;

  bool is_tie() const { return outcome_at(speedup) == Outcome::kTie; }
};

/// The times of a scenario without its compressor.
struct BaselineTimes {
  CornerTimes float32;
  CornerTimes fp16;
};

/// Of `scenario` with DDP's own all-reduce in float32 and in float16; its compressor does not
/// matter.
BaselineTimes baseline_times(const Scenario& scenario, const Assumptions& assumptions,
                             const SimgridSettings& simgrid = {});

/// How `compressed`, the times of a scenario with `scheme`, do against both baselines; against
/// float32 alone when the scheme is fp16 itself. The recurrence's times on both sides, so that like
/// is compared with like.
std::vector<Verdict> compare_with_baselines(const CornerTimes& compressed,
                                            const BaselineTimes& baselines, const Scheme& scheme);

}  // namespace gradwire
