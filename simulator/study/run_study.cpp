#include "simulator/study/run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/errors.hpp"
#include "simulator/study/cell_evaluator.hpp"
#include "simulator/study/cell_journal.hpp"
#include "simulator/study/process_pool.hpp"
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
    take_known();
    outcome.resumed = done_.size();
    if (!settings_.merged.empty()) {
      require_all();
    } else if (settings_.compute) {
      compute(evaluator);
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

  /// What journals hold already.
  void take_known() {
    for (const std::filesystem::path& path : settings_.merged)
      done_.merge(read_journal(path, owner()));
    if (settings_.journal && std::filesystem::exists(*settings_.journal)) {
      done_.merge(read_journal(*settings_.journal, owner()));
    }
  }

  void conclude(CellEvaluator& evaluator, StudyOutcome& outcome) const {
    outcome.claims = judge_claims(spec_, outcome.rows, evaluator);
    for (const SensitivitySpec& sensitivity : spec_.sensitivities) {
      outcome.sensitivities.push_back(measure_sensitivity(sensitivity, spec_, evaluator));
    }
  }

  void require_all() const {
    if (done_.size() == cells_) return;
    std::size_t first = 0;
    while (done_.contains(first)) ++first;
    throw InputError(
        fmt::format("--merge: {} of {} cells are in none of the files, the first of them cell {}",
                    cells_ - done_.size(), cells_, first));
  }

  void compute(CellEvaluator& evaluator) {
    std::vector<std::size_t> missing;
    std::size_t wanted = 0;
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      if (!settings_.shard.has(cell)) continue;
      ++wanted;
      if (!done_.contains(cell)) missing.push_back(cell);
    }
    std::optional<CellJournal> journal;
    if (settings_.journal) journal.emplace(*settings_.journal, owner(), done_);
    std::size_t ended = wanted - missing.size();
    const auto keep = [&](std::size_t cell, std::string bytes) {
      done_[cell] = std::move(bytes);
      if (observer_.progress) observer_.progress(++ended, wanted);
    };
    PoolObserver pool;
    pool.stop = observer_.stop;
    pool.answered = [&](std::size_t cell, std::string bytes) {
      if (journal) journal->add(cell, bytes);
      keep(cell, std::move(bytes));
    };
    pool.failed = [&](std::size_t cell, std::string why) {
      StudyRow row;  // not journaled: a rerun tries again
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

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string compute_standing(const StudyOutcome& outcome, const StudyRow& row) {
  if (row.key.compute_speedup != 1.0 || !row.key.what_if.empty()) return "derived";
  return outcome.workloads[row.key.workload]->compute_standing;
}

StudyShard shard_from_text(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto index = whole_number(std::string_view{text}.substr(0, slash));
    const auto count = whole_number(std::string_view{text}.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count) return {*index, *count};
  }
  throw InputError(
      fmt::format("--shard: \"{}\" found; a part of a whole is accepted, as in 2/5", text));
}

void keep_cells(const StudySpec& spec, const StudyOutcome& outcome,
                const std::filesystem::path& path) {
  JournalCells cells;
  for (const StudyRow& row : outcome.rows) {
    if (row.has_answer()) cells[row.key.cell] = to_bytes(row);
  }
  const CellJournal journal(path, journal_owner(spec.files, outcome.cells), cells);
}

StudyOutcome run_study(const StudySpec& spec, const StudySettings& settings,
                       const StudyObserver& observer) {
  return Run(spec, settings, observer).run();
}

}  // namespace gradwire
