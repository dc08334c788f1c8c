#include "simulator/study/cell_grid.hpp"

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// Takes one axis off a mixed-radix number, the fastest first.
template <class T>
const T& take(std::size_t& rest, const std::vector<T>& axis) {
  const T& value = axis[rest % axis.size()];
  rest /= axis.size();
  return value;
}

}  // namespace

std::size_t cell_count(const GridSpec& grid) {
  return grid.workloads.size() * grid.workers.size() * grid.bandwidths.size() *
         grid.latencies.size() * grid.compressors.size();
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
  key.compressor = take(rest, grid.compressors);
  key.latency = take(rest, grid.latencies);
  key.bandwidth = take(rest, grid.bandwidths);
  key.workers = take(rest, grid.workers);
  key.workload = take(rest, grid.workloads);
  return key;
}

}  // namespace gradwire
