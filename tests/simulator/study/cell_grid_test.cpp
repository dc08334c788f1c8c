#include "simulator/study/cell_grid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace gradwire {
namespace {

StudySpec two_grids() {
  StudySpec spec;
  spec.workloads.resize(2);
  GridSpec grid;
  grid.workloads = {0, 1};
  grid.workers = {8, 16, 32};
  grid.bandwidths = {BitsPerSecond{1e9}, BitsPerSecond{1e10}};
  grid.latencies = {Seconds{1e-5}};
  grid.compressors = {"none", "fp16"};
  spec.grids.push_back(grid);
  grid.workloads = {1};
  grid.compute_speedups = {1.0, 2.0};
  grid.encode_divisors = {1.0, 4.0};
  grid.payload_growths = {1.0, 3.0};
  spec.grids.push_back(grid);
  return spec;
}

TEST(CellGrid, CountsTheCombinationsOfAllGrids) {
  const StudySpec spec = two_grids();
  EXPECT_EQ(cell_count(spec.grids[0]), 2U * 3 * 2 * 1 * 2);
  EXPECT_EQ(cell_count(spec.grids[1]), 1U * 3 * 2 * 1 * 2 * 2 * 2 * 2);
  EXPECT_EQ(cell_count(spec), 24U + 96U);
  EXPECT_EQ(first_cell_of(spec, 1), 24U);
}

TEST(CellGrid, EveryCellIsAnotherCombination) {
  const StudySpec spec = two_grids();
  std::set<
      std::tuple<std::size_t, std::size_t, int, BitsPerSecond, double, std::string, double, double>>
      seen;
  for (std::size_t cell = 0; cell < cell_count(spec); ++cell) {
    const CellKey key = cell_at(spec, cell);
    EXPECT_EQ(key.cell, cell);
    EXPECT_EQ(key.grid, cell < 24 ? 0U : 1U);
    seen.insert({key.grid, key.workload, key.workers, key.bandwidth, key.compute_speedup,
                 key.compressor, key.encode_divisor, key.payload_growth});
  }
  EXPECT_EQ(seen.size(), cell_count(spec));
}

TEST(CellGrid, TheLastAxisChangesFirst) {
  const StudySpec spec = two_grids();
  EXPECT_EQ(cell_at(spec, 0).compressor, "none");
  EXPECT_EQ(cell_at(spec, 1).compressor, "fp16");
  EXPECT_EQ(cell_at(spec, 2).bandwidth, BitsPerSecond{1e10});
  EXPECT_EQ(cell_at(spec, 4).workers, 16);
  EXPECT_EQ(cell_at(spec, 12).workload, 1U);
  EXPECT_EQ(cell_at(spec, 25).payload_growth, 3.0);
  EXPECT_EQ(cell_at(spec, 26).encode_divisor, 4.0);
  EXPECT_EQ(cell_at(spec, 27).payload_factor(), 12.0);
}

TEST(CellGrid, AnAxisStepMovesTheCellByItsStride) {
  const StudySpec spec = two_grids();
  for (const GridAxis& axis : axes_of(spec.grids[1])) {
    if (axis.values == 1) continue;
    EXPECT_EQ(axis.position(0), 0U) << axis.name;
    EXPECT_EQ(axis.position(axis.stride), 1U) << axis.name;
    EXPECT_EQ(axis.position(axis.stride * axis.values), 0U) << axis.name;
  }
}

}  // namespace
}  // namespace gradwire
