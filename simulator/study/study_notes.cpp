#include "simulator/study/study_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace gradwire {
namespace {

void add_once(const std::string& sentence, std::vector<std::string>& sentences) {
  if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
    sentences.push_back(sentence);
  }
}

/// A cell of `grid` for what does not depend on the other axes.
CellKey key_in(const GridSpec& grid, std::size_t index, std::size_t workload, int workers) {
  CellKey key;
  key.grid = index;
  key.workload = workload;
  key.workers = workers;
  key.bandwidth = grid.bandwidths.front();
  key.latency = grid.latencies.front();
  return key;
}

void add_compressor_basis(const StudySpec& spec, CellKey key, int most, CellEvaluator& evaluator,
                          std::vector<std::string>& basis) {
  const CompressorChoice* choice = evaluator.choice_of(key);
  if (choice == nullptr || key.workers != most) return;
  for (const std::string& sentence : choice->basis) {
    add_once(fmt::format("{}, {} at {} workers: {}", spec.workloads[key.workload].name,
                         key.compressor, most, sentence),
             basis);
  }
  if (!choice->compression.scheme->cast_size()) add_once(kSerialBasis, basis);
}

/// Warns when the answers of `rows` do not depend on an axis; `others` is what a row has on the
/// other axes.
template <class Others>
void warn_of_idle_axis(const std::vector<const StudyRow*>& rows, const std::string& axis,
                       std::size_t values, Others others, std::vector<std::string>& warnings) {
  using Key = decltype(others(*rows.front()));
  std::map<Key, Nanoseconds> answers;
  bool compared = false;
  for (const StudyRow* row : rows) {
    const Nanoseconds answer = to_nanoseconds(row->main());
    const auto [found, first] = answers.try_emplace(others(*row), answer);
    if (found->second != answer) return;
    compared = compared || !first;
  }
  if (compared && values > 1) {
    warnings.push_back(fmt::format("{}: all its values give the same answer", axis));
  }
}

void warn_of_idle_axes(const GridSpec& grid, const std::vector<const StudyRow*>& rows,
                       std::vector<std::string>& warnings) {
  const std::string place = grid.name.empty() ? "" : fmt::format("grid \"{}\": ", grid.name);
  const auto no_bandwidth = [](const StudyRow& row) {
    return std::tuple(row.key.workload, row.key.workers, row.key.latency, row.key.compressor);
  };
  const auto no_workers = [](const StudyRow& row) {
    return std::tuple(row.key.workload, row.key.bandwidth, row.key.latency, row.key.compressor);
  };
  const auto no_latency = [](const StudyRow& row) {
    return std::tuple(row.key.workload, row.key.workers, row.key.bandwidth, row.key.compressor);
  };
  warn_of_idle_axis(rows, place + "bandwidth", grid.bandwidths.size(), no_bandwidth, warnings);
  warn_of_idle_axis(rows, place + "workers", grid.workers.size(), no_workers, warnings);
  warn_of_idle_axis(rows, place + "latency", grid.latencies.size(), no_latency, warnings);
}

}  // namespace

std::vector<std::string> study_basis(const StudySpec& spec, CellEvaluator& evaluator) {
  std::vector<std::string> basis;
  for (std::size_t index = 0; index < spec.grids.size(); ++index) {
    const GridSpec& grid = spec.grids[index];
    for (const std::size_t workload : grid.workloads) {
      CellKey key = key_in(grid, index, workload, grid.workers.front());
      for (const Seconds latency : grid.latencies) {
        key.latency = latency;
        for (const std::string& sentence : evaluator.assumptions_of(key).basis) {
          add_once(sentence, basis);
        }
      }
    }
  }
  for (std::size_t index = 0; index < spec.grids.size(); ++index) {
    const GridSpec& grid = spec.grids[index];
    const int most = *std::max_element(grid.workers.begin(), grid.workers.end());
    for (const std::size_t workload : grid.workloads) {
      for (const int workers : grid.workers) {
        CellKey key = key_in(grid, index, workload, workers);
        for (const std::string& compressor : grid.compressors) {
          key.compressor = compressor;
          add_compressor_basis(spec, key, most, evaluator, basis);
        }
      }
    }
  }
  return basis;
}

std::vector<std::string> study_warnings(const StudySpec& spec, const StudyOutcome& outcome) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < spec.workloads.size(); ++i) {
    for (const std::string& warning : outcome.workloads[i]->warnings) {
      warnings.push_back(fmt::format("{}: {}", spec.workloads[i].name, warning));
    }
  }
  for (std::size_t grid = 0; grid < spec.grids.size(); ++grid) {
    std::vector<const StudyRow*> rows;
    for (const StudyRow& row : outcome.rows) {
      if (row.key.grid == grid && row.has_answer() && row.key.workers > 1) rows.push_back(&row);
    }
    if (!rows.empty()) warn_of_idle_axes(spec.grids[grid], rows, warnings);
  }
  return warnings;
}

}  // namespace gradwire
