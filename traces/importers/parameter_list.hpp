#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "traces/importers/import_report.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// One parameter of a model.
struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> shape;  ///< empty for a scalar
  DType dtype = DType::kUnknown;
};

/// Reads a CSV of parameters in registration order: a header `parameter,shape` with an optional
/// `dtype` column, then lines such as `conv1.weight,64x3x7x7`. An empty shape is a scalar. Throws
/// InputError naming file and line.
std::vector<ParameterShape> read_parameter_list(const std::filesystem::path& path);

/// The same for text in memory; `name` stands where the file name would.
std::vector<ParameterShape> parse_parameter_list(const std::string& text, const std::string& name);

/// Gives name, size and dtype to the gradients that have none. Gradients with names take the entry
/// of that name; without, the gradient-ready order is assumed to be the reverse of the registration
/// order, which is said as a warning. Throws InputError naming `source` when a complete iteration's
/// number of gradients differs from the list's, or a name is not in it.
void apply_parameter_list(const std::vector<ParameterShape>& parameters, const std::string& source,
                          Trace& trace, ImportReport& report);

}  // namespace gradwire
