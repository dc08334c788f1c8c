#include "simulator/study/cell_grid.hpp"

#include "base/errors.hpp"

namespace gradwire {

std::vector<GridAxis> axes_of(const GridSpec& grid) {
  std::vector<GridAxis> axes = {{"workload", grid.workloads.size(), 1},
                                {"workers", grid.workers.size(), 1},
                                {"bandwidth", grid.bandwidths.size(), 1},
                                {"latency", grid.latencies.size(), 1},
                                {"compute_speedup", grid.compute_speedups.size(), 1},
                                {"what_if", grid.what_ifs.size(), 1},
                                {"shuffle_seed", grid.shuffle_seeds.size(), 1},
                                {"compressor", grid.compressors.size(), 1, true},
                                {"encode_divisor", grid.encode_divisors.size(), 1, true},
                                {"payload_growth", grid.payload_growths.size(), 1, true}};
  for (std::size_t i = axes.size() - 1; i > 0; --i) {
    axes[i - 1].stride = axes[i].stride * axes[i].values;
  }
  return axes;
}

std::size_t first_cell_of(const StudySpec& spec, std::size_t grid) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < grid; ++i) first += cell_count(spec.grids[i]);
  return first;
}

std::size_t cell_count(const GridSpec& grid) {
  const GridAxis outermost = axes_of(grid).front();
  return outermost.stride * outermost.values;
}

std::size_t cell_count(const StudySpec& spec) {
  std::size_t count = 0;
  for (const GridSpec& grid : spec.grids) count += cell_count(grid);
  return count;
}

CellKey cell_at(const StudySpec& spec, std::size_t index) {
  CellKey key;
  key.cell = index;
  std::size_t rest = index;
  while (key.grid < spec.grids.size() && rest >= cell_count(spec.grids[key.grid])) {
    rest -= cell_count(spec.grids[key.grid++]);
  }
  GW_CHECK(key.grid < spec.grids.size(), "a study has no such cell");
  const GridSpec& grid = spec.grids[key.grid];
  const std::vector<GridAxis> axes = axes_of(grid);
  key.mode = grid.mode;
  auto axis = axes.begin();
  const auto take = [&](const auto& values) { return values[(axis++)->position(rest)]; };
  key.workload = take(grid.workloads);
  key.workers = take(grid.workers);
  key.bandwidth = take(grid.bandwidths);
  key.latency = take(grid.latencies);
  key.compute_speedup = take(grid.compute_speedups);
  key.what_if = take(grid.what_ifs);
  key.shuffle_seed = take(grid.shuffle_seeds);
  key.compressor = take(grid.compressors);
  key.encode_divisor = take(grid.encode_divisors);
  key.payload_growth = take(grid.payload_growths);
  return key;
}

}  // namespace gradwire
