#pragma once

#include <string_view>
#include <vector>

namespace gradwire {

/// One SimGrid configuration option as we set it, and why.
struct SimgridOption {
  std::string_view name;
  std::string_view value;
  std::string_view reason;
};

/// Every option that decides a result, set explicitly so that no default of a SimGrid version can.
const std::vector<SimgridOption>& simgrid_options();

}  // namespace gradwire
