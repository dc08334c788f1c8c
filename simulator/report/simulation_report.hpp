#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/questions/monte_carlo.hpp"
#include "simulator/report/json_writer.hpp"
#include "simulator/study/overlap_loss.hpp"
#include "simulator/study/verdict.hpp"
#include "simulator/study/what_if_effect.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// A compressor in an answer, and how it does against training without it.
struct CompressorReport {
  std::string spelling;  ///< with every parameter
  Bytes wire_bytes{0};   ///< of one rank, before its collectives multiply them
  double ratio = 1.0;    ///< payload over wire bytes
  Seconds encode{0};
  Seconds decode{0};
  std::vector<Verdict> verdicts;
  std::optional<OverlapLoss> overlap;  ///< of overlapped compression
};

/// Everything that `gradwire simulate` shows of one question.
struct SimulationReport {
  std::string trace;
  std::string device;
  std::string cluster;
  std::string replay;
  std::optional<std::int64_t> batch;  ///< samples a rank and iteration
  std::string compute_standing;       ///< Workload::compute_standing
  std::string latency_mode;
  int workers = 1;
  BitsPerSecond bandwidth;
  Seconds nic_latency{0};
  double overlap_slowdown = 1.0;
  std::int64_t parameters = 0;
  Bytes gradient_bytes{0};
  std::vector<Bytes> buckets;           ///< in launch order
  IterationResult main;                 ///< the estimator that was asked for
  std::vector<IterationResult> others;  ///< beside it
  std::optional<CompressorReport> compressor;
  std::optional<Seconds> study_outside;  ///< the study's form, last bucket outside the max; absent
  std::optional<Seconds> study_inside;   ///< with a compressor or stragglers
  std::vector<WhatIfEffect> what_ifs;    ///< those that the question has been through
  Seconds band_low{0};                   ///< main answer's band over the assumptions
  Seconds band_high{0};
  std::optional<MonteCarlo> samples;  ///< where compute varies from iteration to iteration
  std::vector<std::string> basis;     ///< what the answer rests on
  std::vector<std::string> warnings;
};

/// For people: the plain answer first.
void write_text(const SimulationReport& report, std::ostream& out);

/// The same as one JSON object (docs/commands/simulate.md); times in seconds.
void write_json(const SimulationReport& report, std::ostream& out);

}  // namespace gradwire
