#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/questions/alternatives.hpp"
#include "simulator/questions/scorecard.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/study/assumption_band.hpp"
#include "simulator/study/verdict.hpp"

namespace gradwire {

/// What asks for advice: a scenario, and what may be done with it.
struct AdviceQuestion {
  Scenario scenario;  ///< of two workers or more; without a compressor or payload factor
  Assumptions assumptions;
  std::string device;                    ///< that costs should be of; empty when unknown
  std::optional<CostProfile> profile;    ///< instead of the one that fits `device`
  std::vector<std::string> compressors;  ///< as `parse_scheme` reads them; no casts
};

/// One thing that could be done.
struct AdviceRow {
  std::string what;  ///< a scheme with every parameter; "fp16: accumulate over 2 passes"
  AdviceKind kind = AdviceKind::kBaseline;
  std::optional<CompressionMode> mode;  ///< of a compressor
  Seconds time{0};                      ///< backward plus synchronisation of one iteration
  /// `time` over the iteration's samples, times those of an iteration of the question: what makes
  /// accumulation and batches comparable.
  Seconds comparable_time{0};
  double speedup = 1.0;      ///< of the best baseline's time over `comparable_time`
  double speedup_low = 1.0;  ///< while the assumptions move inside their bands, alike for both
  double speedup_high = 1.0;
  /// Of its encode and decode costs, as CompressorChoice has it, or "derived" for a compute time
  /// that was not recorded; empty for a row that has neither.
  std::string standing;
  std::string changes;  ///< what it changes beside the time: "effective batch x2", "hardware"
  std::vector<std::string> basis;  ///< what its costs rest on, one sentence each
  std::string not_advised;  ///< why it is ranked and no advice, as half a sentence; else empty

  Outcome outcome() const { return outcome_at(speedup); }
};

/// A compressor that leaves out more of the gradient than this, whatever the gradient, is ranked
/// and not advised.
inline constexpr double kMostLeftOut = 0.9;

/// The share of a gradient's squares that `compressor` leaves out in the mean whatever the
/// gradient, for one that chooses what it sends without looking: 1 - fraction of Random-k (Stich et
/// al., arXiv 1809.07599, definition 2.1). Absent for all that look. Throws InputError as
/// `parse_scheme`.
std::optional<double> left_out_unseen(const std::string& compressor);

/// A DDP bucket and what it is best compressed with.
struct BucketAdvice {
  Bytes payload{0};
  Seconds ready{0};
  std::string scheme;
};

/// The best choice per bucket of what may be advised, and how it was found.
struct ByBucketAdvice {               // of what may be advised
  std::vector<BucketAdvice> buckets;  ///< in launch order
  std::string uniform;                ///< the best scheme for all buckets alike, overlapped too
  Seconds uniform_time{0};
  bool exact = false;  ///< as BucketChoice
  std::int64_t combinations = 0;
  std::int64_t played = 0;
  bool compresses = false;  ///< some bucket's scheme is no cast
  bool is_uniform = false;  ///< all buckets have the same
};

/// Everything there is to say.
struct Advice {
  /// Baselines, compressors in both modes and, where it is a mix that compresses, the best choice
  /// per bucket; fastest first.
  std::vector<AdviceRow> ranked;
  std::vector<AdviceRow> instead;  ///< what needs no compressor, fastest first
  std::string best_baseline;       ///< the first of the fastest: "fp16"
  Seconds best_baseline_time{0};
  bool costs_fit = false;                   ///< a cost profile of the device was used
  bool costs_known = false;                 ///< that one, or the question's
  std::optional<ByBucketAdvice> by_bucket;  ///< absent without costs
  std::string why_not_by_bucket;            ///< one sentence where it is absent
  std::vector<SchemeScore> scorecard;       ///< in the order of the question's compressors
  std::vector<std::string> basis;           ///< one sentence each
  std::vector<std::string> warnings;        ///< the same

  /// Whether the costs are this device's, and of a compressor that may be advised at least.
  bool has_verdict() const { return costs_fit && best_compressor() != nullptr; }
  /// The fastest row that compresses and may be advised; null without one.
  const AdviceRow* best_compressor() const;
  /// The same without mixes by bucket.
  const AdviceRow* best_single_compressor() const;
  /// The fastest that may not be, where it is faster than that one; null else.
  const AdviceRow* faster_and_not_advised() const;
  /// The best compressor where it beats the best baseline by more than the tie band; null: do not
  /// compress, or no verdict.
  const AdviceRow* to_take() const;
  /// Of the question's compressors that may be advised, those that do so in one of the modes.
  int winners() const;
};

/// What to do with `question`: times by the recurrence, or SimGrid where links are shared. A scheme
/// that the cost profile has no figure of is in the scorecard alone, which says so. Throws
/// InputError for one worker, for a payload factor, and as `choose_compressor` for the workload.
Advice give_advice(const AdviceQuestion& question);

}  // namespace gradwire
