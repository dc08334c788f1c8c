#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// Where the columns of a gradient list are; absent when the list lacks one. Exactly one of
/// `ready_us` and `gap_us` is there.
struct GradientColumns {
  std::optional<std::size_t> parameter;
  std::optional<std::size_t> shape;
  std::optional<std::size_t> elements;
  std::optional<std::size_t> dtype;
  std::optional<std::size_t> ready_us;
  std::optional<std::size_t> gap_us;
  std::size_t count = 0;
};

/// True when `field` is the name of a column, or of a time in another unit.
bool is_gradient_column(std::string_view field);

/// Reads the header line. `place` is its file and line. Throws InputError for an unknown or
/// repeated column, and when there is no time.
GradientColumns read_gradient_header(const std::vector<std::string_view>& fields,
                                     const std::string& place);

/// Reads one line; `previous` is the ready time of the line before it. Throws InputError naming
/// `place`, what was found and what is accepted.
Gradient read_gradient_row(const std::vector<std::string_view>& fields,
                           const GradientColumns& columns, Nanoseconds previous,
                           const std::string& place);

}  // namespace gradwire
