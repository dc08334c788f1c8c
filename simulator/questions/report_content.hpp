#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/questions/break_even.hpp"
#include "simulator/study/run_study.hpp"

namespace gradwire {

/// A compressor on a workload, at the workers, network and compute of the chosen cell.
struct ReportPoint {
  std::size_t workload = 0;  ///< index into StudySpec::workloads
  std::size_t cell = 0;      ///< of the study
  Bytes payload{0};          ///< of one rank
  Bytes wire{0};             ///< of one rank, before its collectives multiply it
  Seconds encode{0};         ///< of all gradients
  Seconds decode{0};
  bool all_reduced = false;  ///< by collectives whose bytes do not grow with the workers
  /// Where it is faster than float32, by one input alone; absent where that cannot be asked.
  std::vector<BreakEven> pays;
  /// Encode and decode time at which it is as fast as float32, by ReportContent::bandwidths; below
  /// zero where it is slower even when they cost nothing.
  std::vector<Seconds> budgets;
};

/// Backward plus synchronisation of one workload by bandwidth and compute, the chosen cell's
/// setting else.
struct ReportSweep {
  std::size_t workload = 0;
  std::string compressor;      ///< with every parameter; "none", "fp16"
  std::vector<Seconds> times;  ///< for every compute factor all bandwidths
};

/// Encode and decode time at which a scheme that sends 1/ratio of the bytes is as fast as float32,
/// at the chosen cell's bandwidth.
struct RatioBoundary {
  std::size_t workload = 0;
  std::string compressor;  ///< whose collectives carry it, scaled to the ratio
  bool all_reduced = false;
  std::vector<Seconds> budgets;  ///< by ReportContent::ratios; below zero: it cannot pay
};

/// What happens in the chosen cell's setting, on rank 0 and the one that ends last.
struct ReportTimeline {
  std::string compressor;  ///< with every parameter; "none"
  std::string estimator;
  Timeline timeline;
};

/// What a study's report tells besides the study's rows. Pointers and indices are into the study
/// and the outcome that it was made of.
struct ReportContent {
  std::optional<std::size_t> chosen;  ///< cell; absent when no cell has an answer
  std::vector<BitsPerSecond> bandwidths;
  std::vector<double> computes;  ///< backward kernels so many times as fast
  std::vector<double> ratios;
  std::vector<ReportPoint> points;
  std::vector<ReportSweep> sweeps;
  std::vector<RatioBoundary> boundaries;
  std::vector<ReportTimeline> timelines;
  /// Why there are no points' break-evens, sweeps and boundaries; empty when there are.
  std::string why_no_sweeps;
};

/// The cell a reader most likely asks about: of the answered compressed ones without what-ifs,
/// serial before overlapped, that nearest to 64 workers, then to 10 Gbps, then PowerSGD of rank 4;
/// the first of equals. Without any compressed cell the same of all answered ones.
std::optional<std::size_t> likely_cell(const std::vector<StudyRow>& rows);

/// Everything around `chosen` (default `likely_cell`): sweeps by the recurrence, so not where links
/// are shared. Throws InputError when the cell is none of the study's or has no answer.
ReportContent make_report_content(const StudySpec& spec, const StudyOutcome& outcome,
                                  std::optional<std::size_t> chosen);

}  // namespace gradwire
