#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compressors/spec/scheme.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What an inverse question solves for; in brackets the unit of its values.
enum class BreakEvenUnknown {
  kBandwidth,  ///< of the NICs, each direction [bits per second]
  kCodec,      ///< encode and decode time of all gradients together [seconds]
  kRatio,      ///< how many times less a codec sends that costs nothing and keeps DDP's buckets
  kBatch,      ///< samples a rank and iteration, whole
  kWorkers,    ///< ranks, whole
  kCompute,    ///< how many times as fast the backward pass is; encode and decode stay
};

/// Every unknown, in the order in which answers show them.
const std::vector<BreakEvenUnknown>& break_even_unknowns();

/// "bandwidth", "codec", "ratio", "batch", "workers", "compute".
std::string_view name_of(BreakEvenUnknown unknown);

/// Throws InputError listing the unknowns when `name` is none.
BreakEvenUnknown break_even_unknown_from_name(std::string_view name);

/// Whether its values are whole numbers.
bool is_whole(BreakEvenUnknown unknown);

/// What has to hold at a value of the unknown.
enum class BreakEvenGoal {
  kFaster,                ///< the compressor is faster than the baseline
  kEfficient,             ///< with the compressor the efficiency is at least the target
  kEfficientUncompressed  ///< the baseline's efficiency is at least the target
};

/// Between which values is searched, both included, in the unknown's unit; above 0.
struct BreakEvenRange {
  double low = 1.0;
  double high = 10.0;
};

/// Where an unknown is looked for unless the user says otherwise: 0.1 to 400 Gbps, 1 us to 100 s,
/// ratios 1 to 10000, batches 1 to 4096, 2 workers to all GPUs of `scenario`'s cluster, compute 0.1
/// to 100 times as fast.
BreakEvenRange default_range(BreakEvenUnknown unknown, const Scenario& scenario);

/// A scenario whose inverse is asked for. Times are backward plus synchronisation: the
/// recurrence's, or SimGrid's where links are shared. Efficiency is the backward pass alone over
/// that time.
struct BreakEvenQuestion {
  Scenario scenario;                       ///< with the compressor; without one for none
  std::shared_ptr<const Scheme> baseline;  ///< of training without it: a cast, or null for float32
  bool costs_known = true;  ///< else the compression's encode and decode times mean nothing
  /// The compression at other workers, since costs depend on them; empty when nobody knows.
  std::function<Compression(const Scenario&)> compression_at;
  double target_efficiency = 0.9;  ///< above 0, below 1
};

/// Why `unknown` cannot be found, as a sentence; nothing when it can.
std::optional<std::string> why_unanswerable(const BreakEvenQuestion& question,
                                            BreakEvenUnknown unknown, BreakEvenGoal goal);

/// A stretch of values at which the goal holds, both ends included.
struct BreakEvenInterval {
  double from = 0.0;
  double to = 0.0;
  bool from_is_root = false;  ///< else the range's end
  bool to_is_root = false;
};

/// Where the goal holds at the corners of the assumptions' bands at which that is least and most,
/// by how many times the values grow from end to end.
struct BreakEvenBand {
  std::vector<BreakEvenInterval> narrowest;
  std::vector<BreakEvenInterval> widest;
};

/// The answer to one inverse question.
struct BreakEven {
  BreakEvenUnknown unknown = BreakEvenUnknown::kBandwidth;
  BreakEvenGoal goal = BreakEvenGoal::kFaster;
  double target_efficiency = 0.9;  ///< of the two goals that have one
  BreakEvenRange range;
  std::vector<BreakEvenInterval> holds;  ///< ascending; empty: nowhere in the range
  double value_low = 0.0;   ///< at the range's low end: baseline over compressed, or efficiency
  double value_high = 0.0;  ///< at its high end
  /// The scenario's own value of the unknown, and the speed-up or efficiency there; absent where it
  /// has none (a codec of unknown cost).
  std::optional<double> here;
  double value_here = 0.0;
  bool simulated = false;  ///< links are shared somewhere: all times are SimGrid's
  std::optional<BreakEvenBand> band = std::nullopt;  ///< break_even_band's, where that was asked

  bool holds_everywhere() const;
  bool holds_at(double value) const;
};

/// Where in `range` the goal holds: by samples at equal ratios (65; 17 where links are shared) and
/// bisection between those that differ, to 1e-6 (1e-3) of the value; whole numbers exactly, in
/// ranges up to 256 by looking at each unless links are shared. Two roots between neighbouring
/// samples are not seen. Equal times are no gain. Throws InputError when `why_unanswerable`, for an
/// empty range or a target outside (0, 1), and as `estimate`.
BreakEven find_break_even(const BreakEvenQuestion& question, BreakEvenUnknown unknown,
                          BreakEvenGoal goal, const BreakEvenRange& range);

/// Speed-up (baseline over compressed) or efficiency at one value of the unknown: what the search
/// looks at. Throws as find_break_even.
double value_at(const BreakEvenQuestion& question, BreakEvenUnknown unknown, BreakEvenGoal goal,
                double value);

}  // namespace gradwire
