#pragma once

#include <cstddef>
#include <string>

#include "simulator/study/study_spec.hpp"

namespace gradwire {

/// One cell of a study, by its place on every axis.
struct CellKey {
  std::size_t cell = 0;      ///< from 0, over all grids
  std::size_t grid = 0;      ///< index into StudySpec::grids
  std::size_t workload = 0;  ///< index into StudySpec::workloads
  int workers = 1;
  BitsPerSecond bandwidth;
  Seconds latency{0};
  std::string compressor = "none";  ///< with every parameter
};

/// How many cells a grid and a study have.
std::size_t cell_count(const GridSpec& grid);
std::size_t cell_count(const StudySpec& spec);

/// The cell at `index`: grids one after the other; in a grid by workload, workers, bandwidth,
/// latency, compressor, in the spec's order, the last changing first. Requires index < cell_count.
CellKey cell_at(const StudySpec& spec, std::size_t index);

}  // namespace gradwire
