#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  double compute_speedup = 1.0;
  std::string what_if;                        ///< as the study has it; empty for none
  std::optional<std::uint64_t> shuffle_seed;  ///< of the order of the nodes; absent for in order
  std::string compressor = "none";            ///< with every parameter
  CompressionMode mode = CompressionMode::kSerial;
  double encode_divisor = 1.0;
  double payload_growth = 1.0;

  /// What is sent, over what the scheme sends.
  double payload_factor() const { return payload_growth * encode_divisor; }
};

/// A list of a grid: a step along it moves the cell by `stride`.
struct GridAxis {
  const char* name;
  std::size_t values;
  std::size_t stride;
  bool keeps_baseline = false;  ///< cells along it are compared with the same baselines

  std::size_t position(std::size_t cell_in_grid) const { return cell_in_grid / stride % values; }
};

/// The axes, the one that changes first at the end.
std::vector<GridAxis> axes_of(const GridSpec& grid);

/// The number of a grid's first cell.
std::size_t first_cell_of(const StudySpec& spec, std::size_t grid);

/// How many cells a grid and a study have.
std::size_t cell_count(const GridSpec& grid);
std::size_t cell_count(const StudySpec& spec);

/// The cell at `index`: grids one after the other; in a grid by workload, workers, bandwidth,
/// latency, compute speed-up, what-if, shuffle seed, compressor, encode divisor, payload growth, in
/// the spec's order, the last changing first. Requires index < cell_count.
CellKey cell_at(const StudySpec& spec, std::size_t index);

}  // namespace gradwire
