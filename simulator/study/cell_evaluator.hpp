#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/scenario/what_if_text.hpp"
#include "simulator/study/assumption_band.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/study_row.hpp"
#include "simulator/study/verdict.hpp"

namespace gradwire {

/// Answers the cells of one study. What neighbouring cells have in common (baselines, compressor
/// costs) is computed once; ask in the order of the cells. For one thread.
class CellEvaluator {
 public:
  /// Both must outlive it; `workloads` by index, as StudySpec::workloads.
  CellEvaluator(const StudySpec& spec, const std::vector<SharedValue<Workload>>& workloads);

  /// The cell's answer by every estimator of its grid, SimGrid's in a process of its own. Throws
  /// InputError when the cell cannot be asked and IncompleteError when a simulation did not end.
  StudyRow evaluate(const CellKey& key);

  /// The cell's question.
  Scenario scenario_of(const CellKey& key);
  Assumptions assumptions_of(const CellKey& key);
  /// Null for none.
  const CompressorChoice* choice_of(const CellKey& key);
  /// What the cell's scenario would have with another compressor or other costs of it.
  Compression compression_of(const CellKey& key, const std::string& compressor, CostChoice costs);

 private:
  /// All cells that differ in their compressor alone.
  struct Setting {
    std::tuple<std::size_t, std::size_t, int, BitsPerSecond, Seconds, double, std::string,
               std::optional<std::uint64_t>>
        key;
    Scenario asked;  // without a compressor and without what-ifs
    std::vector<WhatIf> what_ifs;
    Scenario scenario;  // with what-ifs, without a compressor
    Assumptions assumptions;
    std::optional<BaselineTimes> baselines;
  };

  Setting& setting_of(const CellKey& key);
  const std::string& device_of(const CellKey& key) const;
  const CompressorChoice& choose(const CellKey& key, const std::string& compressor,
                                 CostChoice costs);
  /// So many times less than the scenario's encode and decode takes the cell's.
  double encode_divisor_of(const CellKey& key) const;
  /// `scenario`, which has its compressor, with all that the cell asks of both.
  Scenario with_changes(const CellKey& key, Scenario scenario);
  void compare(const CellKey& key, const Scenario& scenario, StudyRow& row);

  const StudySpec& spec_;
  const std::vector<SharedValue<Workload>>& workloads_;
  std::optional<Setting> setting_;  // of the cell that was asked last
  std::map<std::tuple<std::size_t, std::size_t, std::string, int, CostChoice>, CompressorChoice>
      choices_;
};

}  // namespace gradwire
