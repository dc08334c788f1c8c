#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compressors/cost/cost_profile.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/study/assumption_band.hpp"

namespace gradwire {

/// Training without a compressor scales near-linearly when the backward pass is at least this share
/// of backward plus synchronisation.
inline constexpr double kNearLinear = 0.9;

/// A ratio above this many times the needed one is more than sufficient.
inline constexpr double kAmpleRatio = 4.0;

/// A scenario without compression, and what its compressors are held against.
struct ScoreQuestion {
  Scenario scenario;                   ///< of two workers or more
  Assumptions assumptions;             ///< for the band of the break-even
  std::string device;                  ///< that costs should be of
  std::optional<CostProfile> profile;  ///< instead of the one that fits `device`
  CornerTimes baseline;                ///< the fastest training without a compressor
};

/// A scheme against what the study (arXiv 2103.00543) asks of a useful compressor. Each property
/// has a figure and a rule that turns it into yes or no; absent where the figure is not known.
struct SchemeScore {
  std::string scheme;  ///< with every parameter
  bool all_reduced = false;

  /// Encode and decode together of serial compression must take less than this to be faster than
  /// the baseline; below zero where even nothing would be too much.
  Seconds budget{0};
  Seconds budget_low{0};  ///< while the assumptions move inside their bands, alike for both
  Seconds budget_high{0};
  std::optional<Seconds> codec;  ///< what they take; absent without a cost
  std::string standing;          ///< of `codec`, as CompressorChoice has it; empty without
  std::string why_no_cost;       ///< one sentence where a profile has no cost; else empty

  /// Serial exchange and decode (of known cost) over the same among `fewer_workers`; absent for no
  /// more workers than those.
  std::optional<double> growth;
  double workers_growth = 1.0;  ///< of the workers
  int fewer_workers = 8;        ///< 8, or what fills two nodes where that is more

  /// Of the time that encoding and decoding the buckets takes alone, the share that does not
  /// lengthen the iteration when a hook does it beside the backward pass. Below zero where it
  /// lengthens it by more. Absent without a cost and for unequal ranks.
  std::optional<double> hidden;

  double ratio = 1.0;                  ///< payload over wire bytes, serial
  std::optional<double> needed_ratio;  ///< `needed_ratio`
  std::int64_t launches = 0;           ///< kernels that one serial exchange launches
  std::int64_t gradients = 0;

  std::optional<bool> is_under_budget() const;
  /// What is added is less than half of what is added to the workers, in proportion.
  std::optional<bool> scales() const;
  /// At least half of it is hidden.
  std::optional<bool> hides() const;
  /// At least the needed ratio and at most kAmpleRatio of it.
  bool is_sufficient_and_not_more() const;
  /// No more launches than gradients.
  bool launches_little() const { return launches <= gradients; }
  /// Of the six, those that are yes.
  int yes() const;
};

/// How many times fewer bytes DDP's own all-reduces would have to carry, at no other cost, for
/// `scenario` to be near-linear: 1 where it is so already; absent where no ratio up to 10000
/// suffices.
std::optional<double> needed_ratio(const Scenario& scenario);

/// The score of each of `compressors`, in their order. Throws InputError for one that is no scheme
/// or a cast, and for gradients without shapes or not of float32.
std::vector<SchemeScore> make_scorecard(const ScoreQuestion& question,
                                        const std::vector<std::string>& compressors);

}  // namespace gradwire
