#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/study/assumption_band.hpp"
#include "simulator/study/cell_grid.hpp"
#include "simulator/study/overlap_loss.hpp"
#include "simulator/study/verdict.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// What a cell's compressor sends and costs.
struct RowCompressor {
  Bytes wire_bytes{0};  ///< of one rank, before its collectives multiply them
  Seconds encode{0};
  Seconds decode{0};
  std::string standing;     ///< of the costs
  bool overlapped = false;  ///< asked for in overlapped mode
};

/// One cell of a study: the question, and the answers of all estimators.
struct StudyRow {
  CellKey key;
  std::vector<std::optional<Seconds>> answers;  ///< backward plus synchronisation, by the grid's
                                                ///< estimators; absent where one cannot answer
  std::optional<Seconds> iteration;             ///< by the main estimator, as all below
  Breakdown breakdown;
  NetworkUse network;
  AnswerBand band;                  ///< while the assumptions move inside their bands
  double overlap_slowdown = 1.0;    ///< compute takes so many times as long while communicating
  double scaling_efficiency = 0.0;  ///< backward pass alone over the main answer
  std::optional<Seconds> study_outside;     ///< the study's own form, last bucket outside the max,
                                            ///< real buckets; absent with a compressor
  std::optional<Seconds> study_inside;      ///< the same, inside
  std::optional<RowCompressor> compressor;  ///< absent without one
  std::optional<OverlapLoss> overlap;       ///< of overlapped compression
  std::vector<Verdict> verdicts;            ///< against float32, and fp16 unless it is that
  std::string failure;                      ///< why the cell has no answer; empty when it has

  bool has_answer() const { return failure.empty(); }
  /// The main estimator's. Requires `has_answer`.
  Seconds main() const { return *answers.front(); }
};

/// A row, without its key, as bytes for another process of the same program.
std::string to_bytes(const StudyRow& row);

/// The row of `key` from its bytes.
StudyRow row_from_bytes(const CellKey& key, std::string_view bytes);

/// By how much a row's estimators differ, relative to the smallest.
double disagreement(const StudyRow& row);

/// By how much the study's own form, last bucket outside, is above (or below 0) the main answer,
/// relative to it; absent where it does not apply.
std::optional<double> study_form_distance(const StudyRow& row);

}  // namespace gradwire
