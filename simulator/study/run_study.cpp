#include "simulator/study/run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/errors.hpp"
#include "simulator/study/cell_evaluator.hpp"
#include "simulator/study/cell_journal.hpp"
#include "simulator/study/process_pool.hpp"
#include "simulator/study/shard_merge.hpp"
#include "simulator/study/study_notes.hpp"

namespace gradwire {
namespace {

// A SimGrid cell takes milliseconds and its process is its own; the others take microseconds.
constexpr std::size_t kSimgridBatch = 4;
constexpr std::size_t kBatch = 64;

std::vector<SharedValue<Workload>> read_workloads(const StudySpec& spec) {
  WorkloadOptions options;
  options.replay = spec.replay;
  std::vector<SharedValue<Workload>> workloads;
  for (const WorkloadSource& source : spec.workloads) {
    workloads.emplace_back(read_workload(source, options));
  }
  return workloads;
}

bool uses_simgrid(const GridSpec& grid) {
  return std::find(grid.estimators.begin(), grid.estimators.end(), Estimator::kSimgrid) !=
         grid.estimators.end();
}

/// Runs what is missing and collects the rows, by cell.
class Run {
 public:
  Run(const StudySpec& spec, const StudySettings& settings, const StudyObserver& observer)
      : spec_(spec), settings_(settings), observer_(observer), cells_(cell_count(spec)) {}

  StudyOutcome run() {
    StudyOutcome outcome;
    outcome.cells = cells_;
    outcome.workloads = read_workloads(spec_);
    CellEvaluator evaluator(spec_, outcome.workloads);
    outcome.basis = study_basis(spec_, evaluator);
    const std::vector<std::size_t> wanted = cells_of(spec_, settings_.shard);
    outcome.wanted = wanted.size();
    if (!settings_.merged.empty()) {
      MergedShards merged = merge_shards(spec_, owner(), settings_.merged);
      outcome.merged_shards = merged.count;
      done_ = std::move(merged.cells);
    } else {
      take_known();
      outcome.resumed = done_.size();
      if (settings_.compute) compute(evaluator, wanted);
    }
    for (const auto& [cell, bytes] : done_) {
      outcome.rows.push_back(row_from_bytes(cell_at(spec_, cell), bytes));
    }
    for (const StudyRow& row : outcome.rows) {
      if (!row.has_answer()) continue;
      outcome.largest_disagreement = std::max(outcome.largest_disagreement, disagreement(row));
      if (const std::optional<double> distance = study_form_distance(row)) {
        outcome.largest_form_distance =
            std::max(outcome.largest_form_distance.value_or(0.0), std::abs(*distance));
      }
    }
    outcome.warnings = study_warnings(spec_, outcome, evaluator);
    if (outcome.rows.size() == cells_) conclude(evaluator, outcome);
    return outcome;
  }

 private:
  /// Reads the program and every file of the study, so once and only where a journal is.
  const JournalOwner& owner() {
    if (!owner_) owner_ = journal_owner(spec_.files, cells_);
    return *owner_;
  }

  /// What this shard's journal has answered already. Cells that it gave up are tried again, unless
  /// nothing is to be computed.
  void take_known() {
    if (!settings_.journal || !std::filesystem::exists(*settings_.journal)) return;
    Journal known = read_journal(*settings_.journal, owner());
    if (known.shard != settings_.shard) {
      throw InputError(fmt::format("{}: its cells are of shard {}; remove it and run shard {} anew",
                                   settings_.journal->string(), text_of(known.shard),
                                   text_of(settings_.shard)));
    }
    done_ = std::move(known.cells);
    std::erase_if(done_, [&](const auto& cell) {
      return !row_from_bytes(cell_at(spec_, cell.first), cell.second).has_answer();
    });
  }

  void conclude(CellEvaluator& evaluator, StudyOutcome& outcome) const {
    outcome.claims = judge_claims(spec_, outcome.rows, evaluator);
    for (const SensitivitySpec& sensitivity : spec_.sensitivities) {
      outcome.sensitivities.push_back(measure_sensitivity(sensitivity, spec_, evaluator));
    }
  }

  void compute(CellEvaluator& evaluator, const std::vector<std::size_t>& wanted) {
    std::vector<std::size_t> missing;
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(missing),
                 [&](std::size_t cell) { return !done_.contains(cell); });
    std::optional<CellJournal> journal;
    if (settings_.journal) journal.emplace(*settings_.journal, owner(), settings_.shard, done_);
    std::size_t ended = wanted.size() - missing.size();
    const auto keep = [&](std::size_t cell, std::string bytes) {
      if (journal) journal->add(cell, bytes);
      done_[cell] = std::move(bytes);
      if (observer_.progress) observer_.progress(++ended, wanted.size());
    };
    PoolObserver pool;
    pool.stop = observer_.stop;
    pool.answered = keep;
    pool.failed = [&](std::size_t cell, std::string why) {
      StudyRow row;
      row.failure = std::move(why);
      keep(cell, to_bytes(row));
    };
    const bool simgrid = std::any_of(spec_.grids.begin(), spec_.grids.end(), uses_simgrid);
    run_in_processes(
        missing,
        [&](std::size_t cell) { return to_bytes(evaluator.evaluate(cell_at(spec_, cell))); },
        {settings_.processes, simgrid ? kSimgridBatch : kBatch, settings_.patience}, pool);
  }

  const StudySpec& spec_;
  const StudySettings& settings_;
  const StudyObserver& observer_;
  std::size_t cells_;
  std::optional<JournalOwner> owner_;
  JournalCells done_;
};

}  // namespace

std::string compute_standing(const StudyOutcome& outcome, const StudyRow& row) {
  if (row.key.compute_speedup != 1.0 || !row.key.what_if.empty()) return "derived";
  return outcome.workloads[row.key.workload]->compute_standing;
}

void keep_cells(const StudySpec& spec, const StudyOutcome& outcome,
                const std::filesystem::path& path) {
  JournalCells cells;
  for (const StudyRow& row : outcome.rows) {
    if (row.has_answer()) cells[row.key.cell] = to_bytes(row);
  }
  const CellJournal journal(path, journal_owner(spec.files, outcome.cells), StudyShard{}, cells);
}

StudyOutcome run_study(const StudySpec& spec, const StudySettings& settings,
                       const StudyObserver& observer) {
  return Run(spec, settings, observer).run();
}

}  // namespace gradwire
