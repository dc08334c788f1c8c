#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/study/assumption_band.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/study_spec.hpp"
#include "simulator/study/verdict.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// One cell of a study: the question, and the answers of all estimators.
struct StudyRow {
  std::string trace;
  int workers = 1;
  BitsPerSecond bandwidth;
  Seconds latency{0};
  std::string compressor = "none";  ///< with every parameter
  double overlap_slowdown = 1.0;
  std::optional<CompressorChoice> choice;  ///< absent without a compressor
  std::vector<Verdict> verdicts;           ///< against float32, and fp16 unless it is that
  std::vector<IterationResult> results;    ///< by StudySpec::estimators; empty when the cell failed
  AnswerBand band;                         ///< while the assumptions move inside their bands
  std::optional<Seconds> study_outside;    ///< the study's own form, last bucket outside the max,
                                           ///< real buckets; absent with a compressor
  std::optional<Seconds> study_inside;     ///< the same, inside
  double scaling_efficiency = 0.0;         ///< backward pass alone over the main answer
  std::string failure;                     ///< why the cell has no answer; empty when it has
};

struct StudyOutcome {
  std::vector<StudyRow>
      rows;  ///< by trace, workers, bandwidth, latency, compressor, in the spec's order
  std::vector<std::string> basis;     ///< what the answers rest on, one sentence each
  std::vector<Workload> workloads;    ///< by trace
  std::vector<std::string> warnings;  ///< one sentence each
  std::size_t cells = 0;              ///< of the whole grid; more than rows when interrupted
  double largest_disagreement = 0.0;  ///< of the estimators, relative, over all rows
};

/// What the caller learns on the way and may stop.
struct StudyObserver {
  std::function<void(std::size_t done, std::size_t cells)> progress;
  std::function<bool()> stop;
};

/// Runs the whole grid, SimGrid cells in as many processes as the machine has cores. A cell that
/// does not end becomes a row with `failure`. Throws InputError for traces that cannot be read and
/// for a grid with cells that cannot be asked (more workers than GPUs).
StudyOutcome run_study(const StudySpec& spec, const StudyObserver& observer);

}  // namespace gradwire
