#include "traces/importers/gradient_list/gradient_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.hpp"
#include "traces/importers/csv_fields.hpp"
#include "traces/importers/decimal_time.hpp"

namespace gradwire {
namespace {

constexpr std::string_view kColumns =
    "`parameter`, `shape`, `elements`, `dtype` and one of `ready_us`, `gap_us` are accepted";

using Column = std::optional<std::size_t> GradientColumns::*;

constexpr std::array<std::pair<std::string_view, Column>, 6> kKnown = {{
    {"parameter", &GradientColumns::parameter},
    {"shape", &GradientColumns::shape},
    {"elements", &GradientColumns::elements},
    {"dtype", &GradientColumns::dtype},
    {"ready_us", &GradientColumns::ready_us},
    {"gap_us", &GradientColumns::gap_us},
}};

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw InputError(fmt::format("{}: {}", place, what));
}

/// "ready", "ready_ms", "gap_s": a time, and the unit is not ours.
bool is_time(std::string_view field) {
  return field.starts_with("ready") || field.starts_with("gap");
}

Nanoseconds read_time(std::string_view text, std::string_view column, const std::string& place) {
  const std::optional<Nanoseconds> time = parse_microseconds(text);
  if (!time || *time < Nanoseconds{0}) {
    refuse(place, fmt::format("{} is `{}`; a number of microseconds, 0 or more, is accepted",
                              column, text));
  }
  return *time;
}

Nanoseconds read_ready(const std::vector<std::string_view>& fields, const GradientColumns& columns,
                       Nanoseconds previous, const std::string& place) {
  if (columns.ready_us) {
    const Nanoseconds ready = read_time(fields[*columns.ready_us], "ready_us", place);
    if (ready < previous) {
      refuse(place,
             fmt::format("ready_us is `{}`, before the {:.3f} of the line above; lines in "
                         "gradient-ready order are accepted",
                         fields[*columns.ready_us], static_cast<double>(previous.count()) / 1e3));
    }
    return ready;
  }
  const Nanoseconds gap = read_time(fields[*columns.gap_us], "gap_us", place);
  std::int64_t ready = 0;
  if (__builtin_add_overflow(previous.count(), gap.count(), &ready)) {
    refuse(place, fmt::format("gap_us is `{}`, and the sum of all gaps exceeds 292 years; less is "
                              "accepted",
                              fields[*columns.gap_us]));
  }
  return Nanoseconds{ready};
}

void read_size(const std::vector<std::string_view>& fields, const GradientColumns& columns,
               const std::string& place, Gradient& gradient) {
  if (columns.elements) {
    const auto elements = parse_integer(fields[*columns.elements]);
    if (!elements || *elements <= 0) {
      refuse(place, fmt::format("elements is `{}`; a whole number above 0 is accepted",
                                fields[*columns.elements]));
    }
    gradient.elements = Elements{*elements};
  }
  if (!columns.shape) return;
  const auto shape = parse_shape(fields[*columns.shape]);
  if (!shape) {
    refuse(place, fmt::format("the shape is `{}`; sizes above 0 joined by x, such as 64x3x7x7, are "
                              "accepted",
                              fields[*columns.shape]));
  }
  gradient.shape = *shape;
  std::int64_t product = 1;
  for (const std::int64_t extent : *shape) product *= extent;
  if (!gradient.elements) gradient.elements = Elements{product};
  if (!shape->empty() && gradient.elements->count() != product) {
    refuse(place, fmt::format("elements is {} but the shape {} holds {}; the same is accepted",
                              gradient.elements->count(), fields[*columns.shape], product));
  }
}

}  // namespace

bool is_gradient_column(std::string_view field) {
  return is_time(field) || std::any_of(kKnown.begin(), kKnown.end(),
                                       [field](const auto& known) { return known.first == field; });
}

GradientColumns read_gradient_header(const std::vector<std::string_view>& fields,
                                     const std::string& place) {
  GradientColumns columns;
  columns.count = fields.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                    [&](const auto& item) { return item.first == fields[i]; });
    if (known == kKnown.end()) {
      refuse(place, is_time(fields[i])
                        ? fmt::format("the column `{}` is a time in an unknown unit; "
                                      "microseconds, as `ready_us` or `gap_us`, are accepted",
                                      fields[i])
                        : fmt::format("the column `{}` is unknown; {}", fields[i], kColumns));
    }
    std::optional<std::size_t>& column = columns.*(known->second);
    if (column)
      refuse(place, fmt::format("the column `{}` is there twice; once is accepted", fields[i]));
    column = i;
  }
  if (columns.ready_us.has_value() == columns.gap_us.has_value()) {
    refuse(place, fmt::format("the header `{}` has {} of the times `ready_us` and `gap_us`; one is "
                              "accepted",
                              fmt::join(fields, ","), columns.ready_us ? "both" : "none"));
  }
  return columns;
}

Gradient read_gradient_row(const std::vector<std::string_view>& fields,
                           const GradientColumns& columns, Nanoseconds previous,
                           const std::string& place) {
  if (fields.size() != columns.count) {
    refuse(place, fmt::format("has {} columns; {}, as in the header, are accepted", fields.size(),
                              columns.count));
  }
  Gradient gradient;
  if (columns.parameter) gradient.parameter = std::string(fields[*columns.parameter]);
  read_size(fields, columns, place, gradient);
  if (columns.dtype) {
    const std::string_view dtype = fields[*columns.dtype];
    gradient.dtype = dtype_from_name(dtype);
    if (gradient.dtype == DType::kUnknown && !dtype.empty()) {
      refuse(place, fmt::format("the dtype is `{}`; a name such as float32 or bfloat16 is accepted",
                                dtype));
    }
  }
  gradient.ready = read_ready(fields, columns, previous, place);
  return gradient;
}

}  // namespace gradwire
