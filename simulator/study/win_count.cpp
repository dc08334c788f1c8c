#include "simulator/study/win_count.hpp"

#include <algorithm>

namespace gradwire {

const Verdict* verdict_against(const StudyRow& row, const std::string& baseline) {
  const auto found =
      std::find_if(row.verdicts.begin(), row.verdicts.end(),
                   [&](const Verdict& verdict) { return verdict.baseline == baseline; });
  return found == row.verdicts.end() ? nullptr : &*found;
}

namespace {

bool loses_to_network(const StudyRow& row, const Verdict& verdict) {
  const Seconds before = verdict.baseline_time - row.breakdown.compute;
  return row.breakdown.exposed() + row.breakdown.waiting >= before;
}

}  // namespace

WinCount count_wins(const std::vector<const StudyRow*>& rows, const std::string& baseline) {
  std::vector<std::pair<double, const StudyRow*>> ranked;
  WinCount count;
  count.baseline = baseline;
  for (const StudyRow* row : rows) {
    const Verdict* verdict = verdict_against(*row, baseline);
    if (verdict == nullptr) continue;
    ranked.emplace_back(verdict->speedup, row);
    switch (outcome_at(verdict->speedup)) {
      case Outcome::kWin:
        ++count.wins;
        break;
      case Outcome::kTie:
        ++count.ties;
        break;
      case Outcome::kLoss:
        ++count.losses;
        count.losses_to_network += loses_to_network(*row, *verdict) ? 1 : 0;
    }
  }
  if (ranked.empty()) return count;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  count.worst = ranked.front().second;
  count.best = ranked.back().second;
  if (count.losses > 0) count.median_loser = ranked[(count.losses - 1) / 2].second;
  if (count.wins > 0) {
    count.median_winner = ranked[count.losses + count.ties + (count.wins - 1) / 2].second;
  }
  return count;
}

std::vector<const StudyRow*> flipped_rows(const std::vector<const StudyRow*>& rows,
                                          const std::string& baseline) {
  std::vector<const StudyRow*> flipped;
  for (const StudyRow* row : rows) {
    const Verdict* verdict = verdict_against(*row, baseline);
    if (verdict == nullptr || !verdict->nominal_speedup) continue;
    if (outcome_at(*verdict->nominal_speedup) != outcome_at(verdict->speedup)) {
      flipped.push_back(row);
    }
  }
  return flipped;
}

OverlapCount count_overlap(const std::vector<const StudyRow*>& rows) {
  std::vector<std::pair<double, const StudyRow*>> ranked;
  OverlapCount count;
  for (const StudyRow* row : rows) {
    if (!row->overlap) continue;
    const double ratio = row->overlap->overlapped / row->overlap->serial;
    ranked.emplace_back(ratio, row);
    count.slower += ratio > 1.0 + kTieBand ? 1 : 0;
    count.faster += ratio < 1.0 - kTieBand ? 1 : 0;
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  count.cells = ranked.size();
  if (!ranked.empty()) count.median = ranked[(ranked.size() - 1) / 2].second;
  return count;
}

namespace {

template <class T>
bool is_asked(const std::vector<T>& asked, const T& value) {
  return asked.empty() || std::find(asked.begin(), asked.end(), value) != asked.end();
}

}  // namespace

std::vector<const StudyRow*> rows_of(const std::vector<StudyRow>& rows, const CountSpec& count) {
  std::vector<const StudyRow*> found;
  for (const StudyRow& row : rows) {
    const bool asked =
        std::any_of(count.cells.begin(), count.cells.end(), [&](const CellSelection& selection) {
          return selection.grid == row.key.grid &&
                 is_asked(selection.workloads, row.key.workload) &&
                 is_asked(selection.workers, row.key.workers);
        });
    if (asked) found.push_back(&row);
  }
  return found;
}

std::vector<const StudyRow*> rows_of(const std::vector<StudyRow>& rows, std::size_t grid) {
  std::vector<const StudyRow*> found;
  for (const StudyRow& row : rows) {
    if (row.key.grid == grid) found.push_back(&row);
  }
  return found;
}

}  // namespace gradwire
