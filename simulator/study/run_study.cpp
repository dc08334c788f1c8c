#include "simulator/study/run_study.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/formula/formula.hpp"
#include "simulator/study/workload_file.hpp"

namespace gradwire {
namespace {

struct Cell {
  Scenario scenario;
  Assumptions assumptions;
  StudyRow row;
};

/// One cell without its compressor.
Cell make_cell(const StudySpec& spec, const SharedValue<Workload>& workload,
               const std::string& device, int workers, LinkSpec nic) {
  Cell cell;
  cell.scenario.workload = workload;
  cell.scenario.cluster = spec.cluster;
  cell.scenario.workers = workers;
  cell.scenario.caps = spec.caps;
  cell.scenario.latency_mode = spec.latency_mode;
  if (nic.latency != spec.cluster.nic.latency) cell.scenario.cluster.nic_latency_band.reset();
  cell.scenario.cluster.nic = nic;
  cell.assumptions = make_assumptions(device, cell.scenario.cluster);
  cell.scenario.overlap_slowdown = cell.assumptions.slowdown;
  check_scenario(cell.scenario);
  cell.row.trace = workload->name;
  cell.row.workers = workers;
  cell.row.bandwidth = nic.bandwidth;
  cell.row.latency = nic.latency;
  cell.row.overlap_slowdown = cell.assumptions.slowdown;
  return cell;
}

void add_compressor(const std::string& spelling, const std::string& device, Cell& cell) {
  cell.row.compressor = spelling;
  if (spelling == "none") return;
  CompressorChoice choice =
      choose_compressor(spelling, cell.scenario.workload, device, cell.scenario.workers, {});
  cell.scenario.compression = choice.compression;
  cell.row.choice = std::move(choice);
}

std::vector<Cell> make_cells(const StudySpec& spec, const std::vector<Workload>& workloads) {
  std::vector<Cell> cells;
  for (const SharedValue<Workload> workload : workloads) {
    const std::string& device =
        workload->device_name.empty() ? spec.cluster.device : workload->device_name;
    for (const int workers : spec.workers) {
      for (const BitsPerSecond bandwidth : spec.bandwidths) {
        for (const Seconds latency : spec.latencies) {
          const Cell cell = make_cell(spec, workload, device, workers, {bandwidth, latency});
          for (const std::string& compressor : spec.compressors) {
            add_compressor(compressor, device, cells.emplace_back(cell));
          }
        }
      }
    }
  }
  return cells;
}

/// The baselines of the cell that was asked last: cells that differ in their compressor alone stand
/// next to each other and share them.
class BaselineMemo {
 public:
  const BaselineTimes& of(const Cell& cell) {
    const Key key{cell.row.trace, cell.row.workers, cell.row.bandwidth, cell.row.latency};
    if (!times_ || key != key_) {
      times_ = baseline_times(cell.scenario, cell.assumptions);
      key_ = key;
    }
    return *times_;
  }

 private:
  using Key = std::tuple<std::string, int, BitsPerSecond, Seconds>;
  Key key_;
  std::optional<BaselineTimes> times_;
};

/// Everything but SimGrid's answer, which comes from a process of its own.
void fill_row(const StudySpec& spec, const Cell& cell, std::optional<IterationResult> simgrid,
              BaselineMemo& baselines, StudyRow& row) {
  for (const Estimator estimator : spec.estimators) {
    row.results.push_back(estimator == Estimator::kSimgrid ? std::move(*simgrid)
                                                           : estimate(cell.scenario, estimator));
  }
  const CornerTimes times = corner_times(cell.scenario, cell.assumptions);
  row.band = band_of(times);
  if (row.choice) {
    row.verdicts =
        compare_with_baselines(times, baselines.of(cell), *row.choice->compression.scheme);
  } else {
    row.study_outside = study_form(cell.scenario, LastBucket::kOutside, StudyBuckets::kReal);
    row.study_inside = study_form(cell.scenario, LastBucket::kInside, StudyBuckets::kReal);
  }
  const Seconds time = row.results.front().backward_sync;
  row.scaling_efficiency = cell.scenario.workload->backward_span / time;
}

double disagreement(const StudyRow& row) {
  if (row.results.empty()) return 0.0;
  const auto [low, high] = std::minmax_element(
      row.results.begin(), row.results.end(),
      [](const auto& a, const auto& b) { return a.backward_sync < b.backward_sync; });
  return (high->backward_sync - low->backward_sync) / low->backward_sync;
}

/// An axis whose values all give the same answer, whatever the others are, was not simulated or
/// does not matter: `others` is what a row has on the other axes.
template <class Others>
void warn_of_idle_axis(const StudyOutcome& outcome, const char* axis, std::size_t values,
                       Others others, std::vector<std::string>& warnings) {
  using Key = decltype(others(outcome.rows.front()));
  std::map<Key, Nanoseconds> answers;
  bool compared = false;
  for (const StudyRow& row : outcome.rows) {
    if (row.results.empty() || row.workers == 1) continue;
    const Nanoseconds answer = to_nanoseconds(row.results.front().backward_sync);
    const auto [found, first] = answers.try_emplace(others(row), answer);
    if (found->second != answer) return;
    compared = compared || !first;
  }
  if (compared && values > 1) {
    warnings.push_back(fmt::format("{}: all its values give the same answer", axis));
  }
}

void add_once(const std::string& sentence, std::vector<std::string>& basis) {
  if (std::find(basis.begin(), basis.end(), sentence) == basis.end()) basis.push_back(sentence);
}

/// What the cells rest on. The costs of a compressor are told once, for the largest count of
/// workers; every cell has its own in the table.
void collect_basis(const StudySpec& spec, const std::vector<Cell>& cells,
                   std::vector<std::string>& basis) {
  const int most = *std::max_element(spec.workers.begin(), spec.workers.end());
  for (const Cell& cell : cells) {
    for (const std::string& sentence : cell.assumptions.basis) add_once(sentence, basis);
  }
  for (const Cell& cell : cells) {
    if (!cell.row.choice || cell.row.workers != most) continue;
    for (const std::string& sentence : cell.row.choice->basis) {
      add_once(fmt::format("{} at {} workers: {}", cell.row.compressor, most, sentence), basis);
    }
    if (!cell.row.choice->compression.scheme->cast_size()) add_once(kSerialBasis, basis);
  }
}

void add_warnings(const StudySpec& spec, StudyOutcome& outcome) {
  for (const Workload& workload : outcome.workloads) {
    for (const std::string& warning : workload.warnings) {
      outcome.warnings.push_back(fmt::format("{}: {}", workload.name, warning));
    }
  }
  const auto no_bandwidth = [](const StudyRow& row) {
    return std::tuple(row.trace, row.workers, row.latency, row.compressor);
  };
  const auto no_workers = [](const StudyRow& row) {
    return std::tuple(row.trace, row.bandwidth, row.latency, row.compressor);
  };
  const auto no_latency = [](const StudyRow& row) {
    return std::tuple(row.trace, row.workers, row.bandwidth, row.compressor);
  };
  std::vector<std::string>& warnings = outcome.warnings;
  warn_of_idle_axis(outcome, "bandwidth", spec.bandwidths.size(), no_bandwidth, warnings);
  warn_of_idle_axis(outcome, "workers", spec.workers.size(), no_workers, warnings);
  warn_of_idle_axis(outcome, "latency", spec.latencies.size(), no_latency, warnings);
}

class Runner {
 public:
  Runner(const StudySpec& spec, const StudyObserver& observer) : spec_(spec), observer_(observer) {
    wants_simgrid_ = std::find(spec.estimators.begin(), spec.estimators.end(),
                               Estimator::kSimgrid) != spec.estimators.end();
  }

  void run(std::vector<Cell> cells, StudyOutcome& outcome) {
    outcome.cells = cells.size();
    for (Cell& cell : cells) {
      if (observer_.stop && observer_.stop()) break;
      start(std::move(cell));
      if (running_.size() >= processes_) finish_first(outcome);
    }
    while (!running_.empty()) finish_first(outcome);
  }

 private:
  struct Running {
    Cell cell;
    std::optional<PendingEstimate> simgrid;
  };

  void start(Cell cell) {
    Running running{std::move(cell), {}};
    if (wants_simgrid_) running.simgrid.emplace(running.cell.scenario, EstimatorSettings{});
    running_.push_back(std::move(running));
  }

  void finish_first(StudyOutcome& outcome) {
    Running running = std::move(running_.front());
    running_.pop_front();
    StudyRow& row = running.cell.row;
    try {
      std::optional<IterationResult> simgrid;
      if (running.simgrid) simgrid = running.simgrid->finish();
      fill_row(spec_, running.cell, std::move(simgrid), baselines_, row);
    } catch (const IncompleteError& error) {
      row.results.clear();
      row.failure = error.what();
    }
    outcome.largest_disagreement = std::max(outcome.largest_disagreement, disagreement(row));
    outcome.rows.push_back(std::move(row));
    if (observer_.progress) observer_.progress(outcome.rows.size(), outcome.cells);
  }

  const StudySpec& spec_;
  const StudyObserver& observer_;
  bool wants_simgrid_ = false;
  std::size_t processes_ = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  std::deque<Running> running_;
  BaselineMemo baselines_;
};

}  // namespace

StudyOutcome run_study(const StudySpec& spec, const StudyObserver& observer) {
  StudyOutcome outcome;
  WorkloadOptions options;
  options.replay = spec.replay;
  for (const std::filesystem::path& trace : spec.traces) {
    outcome.workloads.push_back(read_workload(trace, {}, options));
  }
  std::vector<Cell> cells = make_cells(spec, outcome.workloads);
  collect_basis(spec, cells, outcome.basis);
  Runner(spec, observer).run(std::move(cells), outcome);
  add_warnings(spec, outcome);
  return outcome;
}

}  // namespace gradwire
