#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/study/claims.hpp"
#include "simulator/study/sensitivity.hpp"
#include "simulator/study/study_row.hpp"
#include "simulator/study/study_shard.hpp"

namespace gradwire {

struct StudySettings {
  int processes = 1;
  std::chrono::seconds patience{120};  ///< for one cell
  StudyShard shard;
  /// Where finished cells are kept while the study runs. What it holds already is not computed
  /// again. Absent: nothing is kept.
  std::optional<std::filesystem::path> journal;
  /// False: the journal's cells are all there is, and the journal stays as it is.
  bool compute = true;
  /// Journals of all shards, or folders of some; then nothing is computed.
  std::vector<std::filesystem::path> merged;
};

/// Holds pointers into the study it is the outcome of.
struct StudyOutcome {
  std::vector<StudyRow> rows;  ///< by cell: those that are done and those that failed
  std::vector<SharedValue<Workload>> workloads;  ///< by index
  std::vector<std::string> basis;                ///< what the answers rest on, one sentence each
  std::vector<std::string> warnings;             ///< one sentence each
  std::size_t cells = 0;                         ///< of the whole study
  std::size_t wanted = 0;                        ///< of the shard; more than rows when interrupted
  std::size_t merged_shards = 0;                 ///< how many; 0 for a run that computed
  std::size_t resumed = 0;                       ///< of the rows, taken from a journal
  double largest_disagreement = 0.0;             ///< of the estimators, relative, over all rows
  /// Of the study's own form from the main answer, relative, over the rows that have it.
  std::optional<double> largest_form_distance;
  // Of a whole study:
  std::vector<ClaimResult> claims;
  std::vector<SensitivityResult> sensitivities;
};

/// How the compute time behind a row is known: its workload's standing, "derived" where compute is
/// asked to be faster.
std::string compute_standing(const StudyOutcome& outcome, const StudyRow& row);

/// What the caller learns on the way and may stop.
struct StudyObserver {
  std::function<void(std::size_t done, std::size_t cells)> progress;
  std::function<bool()> stop;
};

/// Writes the answered cells of `outcome` to a journal that read_journal and `StudySettings`
/// accept. Throws EnvironmentError when it cannot be written.
void keep_cells(const StudySpec& spec, const StudyOutcome& outcome,
                const std::filesystem::path& path);

/// Runs all cells of the shard that no journal has, in processes; the outcome does not depend on
/// how many. A cell that does not end becomes a row with `failure`. Throws InputError for traces
/// that cannot be read, for a grid with cells that cannot be asked, and for journals of another
/// study or shard, and as merge_shards.
StudyOutcome run_study(const StudySpec& spec, const StudySettings& settings,
                       const StudyObserver& observer);

}  // namespace gradwire
