#include "simulator/study/study_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulator/study/what_if_effect.hpp"

namespace gradwire {
namespace {

void add_once(const std::string& sentence, std::vector<std::string>& sentences) {
  if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
    sentences.push_back(sentence);
  }
}

/// "grid "racks": ", or nothing for one without a name.
std::string prefix_of(const GridSpec& grid) {
  return grid.name.empty() ? "" : fmt::format("grid \"{}\": ", grid.name);
}

/// A cell of `grid` for what does not depend on the other axes.
CellKey key_in(const GridSpec& grid, std::size_t index, std::size_t workload, int workers) {
  CellKey key;
  key.grid = index;
  key.workload = workload;
  key.mode = grid.mode;
  key.workers = workers;
  key.bandwidth = grid.bandwidths.front();
  key.latency = grid.latencies.front();
  key.shuffle_seed = grid.shuffle_seeds.front();
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
  if (!choice->compression.scheme->cast_size()) add_once(mode_basis(key.mode), basis);
}

/// Whether the answers of `rows` are the same all along an axis, wherever the cell stands on the
/// others.
bool is_idle(const GridAxis& axis, std::size_t first_cell,
             const std::vector<const StudyRow*>& rows) {
  std::map<std::size_t, Nanoseconds> answers;
  bool compared = false;
  for (const StudyRow* row : rows) {
    const std::size_t cell = row->key.cell - first_cell;
    const Nanoseconds answer = to_nanoseconds(row->main());
    const std::size_t others = cell - axis.position(cell) * axis.stride;
    const auto [found, first] = answers.try_emplace(others, answer);
    if (found->second != answer) return false;
    compared = compared || !first;
  }
  return compared;
}

/// Warns of each what-if of `grid` that changes no answer of its workloads and compressors, at the
/// most workers.
void add_idle_what_ifs(const StudySpec& spec, std::size_t index, CellEvaluator& evaluator,
                       std::vector<std::string>& warnings) {
  const GridSpec& grid = spec.grids[index];
  const int most = *std::max_element(grid.workers.begin(), grid.workers.end());
  for (const std::string& text : grid.what_ifs) {
    const std::vector<WhatIf> what_ifs = parse_what_ifs(text, "what_if");
    std::vector<bool> idle(what_ifs.size(), true);
    for (const std::size_t workload : grid.workloads) {
      CellKey key = key_in(grid, index, workload, most);
      for (const std::string& compressor : grid.compressors) {
        key.compressor = compressor;
        const auto effects = what_if_effects(evaluator.scenario_of(key), what_ifs);
        for (std::size_t i = 0; i < effects.size(); ++i) {
          idle[i] = idle[i] && !effects[i].has_effect();
        }
      }
    }
    for (std::size_t i = 0; i < what_ifs.size(); ++i) {
      if (!idle[i]) continue;
      warnings.push_back(fmt::format("{}what if {}: changes nothing at {} workers", prefix_of(grid),
                                     what_ifs[i].text, most));
    }
  }
}

}  // namespace

std::vector<std::string> study_basis(const StudySpec& spec, CellEvaluator& evaluator) {
  std::vector<std::string> basis;
  for (std::size_t index = 0; index < spec.grids.size(); ++index) {
    const GridSpec& grid = spec.grids[index];
    if (grid.simgrid_mode == SimgridMode::kStep) {
      add_once(
          fmt::format("{}simgrid sends every message of every round (step mode)", prefix_of(grid)),
          basis);
    }
    for (const std::size_t workload : grid.workloads) {
      CellKey key = key_in(grid, index, workload, grid.workers.front());
      add_once(fmt::format("{}: {}", spec.workloads[workload].name,
                           evaluator.scenario_of(key).workload->compute_basis),
               basis);
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

std::vector<std::string> study_warnings(const StudySpec& spec, const StudyOutcome& outcome,
                                        CellEvaluator& evaluator) {
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
    for (const GridAxis& axis : axes_of(spec.grids[grid])) {
      if (axis.values == 1 || !is_idle(axis, first_cell_of(spec, grid), rows)) continue;
      warnings.push_back(fmt::format("{}{}: all its values give the same answer",
                                     prefix_of(spec.grids[grid]), axis.name));
    }
  }
  for (std::size_t grid = 0; grid < spec.grids.size(); ++grid) {
    add_idle_what_ifs(spec, grid, evaluator, warnings);
  }
  return warnings;
}

}  // namespace gradwire
