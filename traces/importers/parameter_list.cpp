#include "traces/importers/parameter_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "traces/importers/csv_fields.hpp"

namespace gradwire {
namespace {

struct Columns {
  std::size_t name = 0;
  std::size_t shape = 1;
  std::optional<std::size_t> dtype;
};

Columns read_header(const std::vector<std::string_view>& fields, const std::string& source) {
  const auto find = [&](std::string_view wanted) -> std::optional<std::size_t> {
    const auto found = std::find(fields.begin(), fields.end(), wanted);
    if (found == fields.end()) return std::nullopt;
    return static_cast<std::size_t>(found - fields.begin());
  };
  const auto name = find("parameter");
  const auto shape = find("shape");
  if (!name || !shape) {
    throw InputError(fmt::format(
        "{}:1: the header is `{}`; `parameter,shape` with an optional `dtype` is accepted", source,
        fmt::join(fields, ",")));
  }
  return Columns{*name, *shape, find("dtype")};
}

ParameterShape read_row(const std::vector<std::string_view>& fields, const Columns& columns,
                        const std::string& place) {
  const std::size_t needed = std::max({columns.name, columns.shape, columns.dtype.value_or(0)}) + 1;
  if (fields.size() < needed) {
    throw InputError(
        fmt::format("{}: has {} columns; {} are needed", place, fields.size(), needed));
  }
  ParameterShape parameter;
  parameter.name = std::string(fields[columns.name]);
  const auto shape = parse_shape(fields[columns.shape]);
  if (!shape) {
    throw InputError(fmt::format(
        "{}: the shape is `{}`; sizes above 0 joined by x, such as 64x3x7x7, are accepted", place,
        fields[columns.shape]));
  }
  parameter.shape = *shape;
  if (columns.dtype) {
    parameter.dtype = dtype_from_name(fields[*columns.dtype]);
    if (parameter.dtype == DType::kUnknown && !fields[*columns.dtype].empty()) {
      throw InputError(
          fmt::format("{}: the dtype is `{}`; a name such as float32 or bfloat16 is accepted",
                      place, fields[*columns.dtype]));
    }
  }
  return parameter;
}

Elements elements_of(const ParameterShape& parameter) {
  std::int64_t elements = 1;
  for (const std::int64_t size : parameter.shape) elements *= size;
  return Elements{elements};
}

using GradientRange = std::vector<Gradient*>;

/// What the trace holds stands; the list fills in the rest.
void complete(const ParameterShape& parameter, Gradient& gradient, ImportReport& report) {
  if (gradient.elements && *gradient.elements != elements_of(parameter)) {
    report.count(
        "parameter-list-disagrees", Severity::kWarning,
        fmt::format(
            "the trace gives {} elements where the list gives {} of `{}`; the trace's are kept",
            gradient.elements->count(), elements_of(parameter).count(), parameter.name));
    return;
  }
  if (gradient.parameter.empty()) gradient.parameter = parameter.name;
  if (!gradient.elements) {
    gradient.shape = parameter.shape;
    gradient.elements = elements_of(parameter);
  }
  if (gradient.dtype == DType::kUnknown) gradient.dtype = parameter.dtype;
}

void apply_by_order(const std::vector<ParameterShape>& parameters, const GradientRange& gradients,
                    ImportReport& report) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    complete(parameters[parameters.size() - 1 - i], *gradients[i], report);
  }
}

void apply_by_name(const std::vector<ParameterShape>& parameters, const std::string& source,
                   const GradientRange& gradients, ImportReport& report) {
  std::map<std::string_view, const ParameterShape*> by_name;
  for (const ParameterShape& parameter : parameters) by_name[parameter.name] = &parameter;
  for (Gradient* gradient : gradients) {
    const auto found = by_name.find(gradient->parameter);
    if (found == by_name.end()) {
      throw InputError(fmt::format("{}: has no parameter `{}`, which the trace names", source,
                                   gradient->parameter));
    }
    complete(*found->second, *gradient, report);
  }
}

}  // namespace

std::vector<ParameterShape> parse_parameter_list(const std::string& text, const std::string& name) {
  std::vector<ParameterShape> parameters;
  std::optional<Columns> columns;
  std::set<std::string> names;
  std::size_t line = 0;
  for (std::string_view row : split_fields(text, '\n')) {
    ++line;
    if (row.empty()) continue;
    const auto fields = split_fields(row, ',');
    if (!columns) {
      columns = read_header(fields, name);
      continue;
    }
    ParameterShape parameter = read_row(fields, *columns, fmt::format("{}:{}", name, line));
    if (!names.insert(parameter.name).second) {
      throw InputError(
          fmt::format("{}:{}: the parameter `{}` is there twice; each once is accepted", name, line,
                      parameter.name));
    }
    parameters.push_back(std::move(parameter));
  }
  if (parameters.empty()) {
    throw InputError(fmt::format(
        "{}: holds no parameters; a header `parameter,shape` and one line each is accepted", name));
  }
  return parameters;
}

std::vector<ParameterShape> read_parameter_list(const std::filesystem::path& path) {
  return parse_parameter_list(read_whole_file(path), path.string());
}

void apply_parameter_list(const std::vector<ParameterShape>& parameters, const std::string& source,
                          Trace& trace, ImportReport& report) {
  std::map<std::int32_t, GradientRange> iterations;
  for (Gradient& gradient : trace.gradients) iterations[gradient.iteration].push_back(&gradient);
  if (iterations.empty()) {
    throw InputError(
        fmt::format("{}: cannot be applied, the trace has no gradients to give sizes to", source));
  }
  bool by_order = false;
  for (const auto& [iteration, gradients] : iterations) {
    const bool named =
        std::all_of(gradients.begin(), gradients.end(),
                    [](const Gradient* gradient) { return !gradient->parameter.empty(); });
    if (gradients.size() != parameters.size()) {
      if (!trace.iterations[static_cast<std::size_t>(iteration)].complete) {
        report.count(
            "iteration-without-sizes", Severity::kNote,
            fmt::format("the cut iteration {} has {} gradients and keeps them without sizes",
                        iteration, gradients.size()));
        continue;
      }
      throw InputError(fmt::format(
          "{}: lists {} parameters; iteration {} of the trace has {} gradients, and as many are "
          "accepted",
          source, parameters.size(), iteration, gradients.size()));
    }
    if (named) {
      apply_by_name(parameters, source, gradients, report);
    } else {
      apply_by_order(parameters, gradients, report);
      by_order = true;
    }
  }
  if (by_order) {
    report.count("gradient-order-assumed", Severity::kWarning,
                 "the trace does not name its gradients: they are taken to be ready in the reverse "
                 "of the order of " +
                     source);
  }
}

}  // namespace gradwire
