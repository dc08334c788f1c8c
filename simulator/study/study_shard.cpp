#include "simulator/study/study_shard.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "simulator/study/cell_grid.hpp"

namespace gradwire {
namespace {

/// How many neighbouring cells of `grid` have their baselines in common.
std::size_t cells_of_a_baseline(const GridSpec& grid) {
  std::size_t cells = 1;
  for (const GridAxis& axis : axes_of(grid)) {
    if (axis.keeps_baseline) cells *= axis.values;
  }
  return cells;
}

}  // namespace

StudyShard shard_from_text(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto index = number_from<std::size_t>(std::string_view{text}.substr(0, slash));
    const auto count = number_from<std::size_t>(std::string_view{text}.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count) return {*index, *count};
  }
  throw InputError(fmt::format(
      "--shard: \"{}\" found; a part of a whole is accepted, from 1/5 to 5/5 for five", text));
}

std::string text_of(const StudyShard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

std::vector<std::size_t> cells_of(const StudySpec& spec, const StudyShard& shard) {
  std::size_t baselines = 0;
  for (const GridSpec& grid : spec.grids) {
    baselines += cell_count(grid) / cells_of_a_baseline(grid);
  }
  std::vector<std::size_t> cells;
  std::size_t dealt = 0;
  for (std::size_t grid = 0; grid < spec.grids.size(); ++grid) {
    const std::size_t first = first_cell_of(spec, grid);
    const std::size_t end = first + cell_count(spec.grids[grid]);
    const std::size_t together =
        baselines < shard.count ? 1 : cells_of_a_baseline(spec.grids[grid]);
    for (std::size_t cell = first; cell < end; cell += together, ++dealt) {
      if (dealt % shard.count != shard.index - 1) continue;
      for (std::size_t i = 0; i < together; ++i) cells.push_back(cell + i);
    }
  }
  return cells;
}

}  // namespace gradwire
