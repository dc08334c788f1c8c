#pragma once

#include <string>
#include <vector>

#include "simulator/study/study_row.hpp"

namespace gradwire {

/// How the compressed cells of a grid do against one baseline. Pointers are into the rows counted;
/// null where there is none.
struct WinCount {
  std::string baseline;
  std::size_t wins = 0;  ///< faster by more than kTieBand
  std::size_t ties = 0;
  std::size_t losses = 0;
  /// Of the losses: what is still sent takes longer than all that DDP leaves exposed. The others
  /// lose to the time of encode and decode.
  std::size_t losses_to_network = 0;
  const StudyRow* best = nullptr;
  const StudyRow* worst = nullptr;
  const StudyRow* median_winner = nullptr;  ///< the lower of two in the middle
  const StudyRow* median_loser = nullptr;

  std::size_t cells() const { return wins + ties + losses; }
  double share() const {
    return cells() == 0 ? 0.0 : static_cast<double>(wins) / static_cast<double>(cells());
  }
};

/// How overlapped compression does against the same compressor behind the backward pass.
struct OverlapCount {
  std::size_t cells = 0;
  std::size_t slower = 0;  ///< overlapping takes longer by more than kTieBand
  std::size_t faster = 0;
  const StudyRow* median = nullptr;  ///< by overlapped over serial; the lower of two in the middle
};

OverlapCount count_overlap(const std::vector<const StudyRow*>& rows);

/// Rows whose verdict against `baseline` is another than the formula's without contention.
std::vector<const StudyRow*> flipped_rows(const std::vector<const StudyRow*>& rows,
                                          const std::string& baseline);

/// The verdict of `row` against `baseline`; null when it has none.
const Verdict* verdict_against(const StudyRow& row, const std::string& baseline);

/// Counts the rows that have a verdict against `baseline`.
WinCount count_wins(const std::vector<const StudyRow*>& rows, const std::string& baseline);

/// The rows that a count is over.
std::vector<const StudyRow*> rows_of(const std::vector<StudyRow>& rows, const CountSpec& count);

/// The rows of one grid.
std::vector<const StudyRow*> rows_of(const std::vector<StudyRow>& rows, std::size_t grid);

}  // namespace gradwire
