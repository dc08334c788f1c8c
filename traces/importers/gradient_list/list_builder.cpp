#include "traces/importers/gradient_list/list_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "traces/importers/decimal_time.hpp"

namespace gradwire {
namespace {

[[noreturn]] void refuse(const std::string& place, std::string_view key, std::string_view value,
                         std::string_view accepted) {
  throw InputError(fmt::format("{}: {} is `{}`; {}", place, key, value, accepted));
}

std::int64_t read_batch(std::string_view value, const std::string& place) {
  const std::optional<std::int64_t> batch = parse_integer(value);
  if (batch.value_or(0) <= 0) {
    refuse(place, "batch", value, "a whole number of samples above 0 is accepted");
  }
  return *batch;
}

Nanoseconds read_backward(std::string_view value, const std::string& place) {
  const std::optional<Nanoseconds> backward = parse_microseconds(value);
  if (backward.value_or(Nanoseconds{0}) <= Nanoseconds{0}) {
    refuse(place, "backward_us", value, "a number of microseconds above 0 is accepted");
  }
  return *backward;
}

std::string read_standing(std::string_view value, const std::string& place) {
  if (std::find(kStandings.begin(), kStandings.end(), value) == kStandings.end()) {
    refuse(place, "standing", value,
           fmt::format("one of {} is accepted", fmt::join(kStandings, ", ")));
  }
  return std::string(value);
}

double microseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

}  // namespace

GradientListBuilder::GradientListBuilder(std::string source, std::string remark)
    : source_(std::move(source)), remark_(std::move(remark)) {}

void GradientListBuilder::add_fact(std::string_view key, std::string_view value,
                                   const std::string& place) {
  if (!keys_.emplace(key).second) {
    throw InputError(fmt::format("{}: `{}` is there twice; once is accepted", place, key));
  }
  if (value.empty()) refuse(place, key, value, "a value is accepted, or no such line");
  Provenance& provenance = trace_.provenance;
  if (key == "device") {
    trace_.devices.push_back({0, std::string(value), {}, {}, {}});
  } else if (key == "source") {
    provenance.source = std::string(value);
  } else if (key == "licence") {
    provenance.licence = std::string(value);
  } else if (key == "basis") {
    provenance.basis = std::string(value);
  } else if (key == "standing") {
    provenance.standing = read_standing(value, place);
  } else if (key == "batch") {
    trace_.batch_size = read_batch(value, place);
  } else if (key == "backward_us") {
    backward_ = read_backward(value, place);
    backward_place_ = place;
  } else {
    throw InputError(
        fmt::format("{}: `{}` is unknown; `device`, `batch`, `backward_us`, `source`, `licence`, "
                    "`standing` and `basis` are accepted{}",
                    place, key, remark_));
  }
}

void GradientListBuilder::add_gradient(const std::vector<std::string_view>& fields,
                                       const GradientColumns& columns, const std::string& place) {
  const Nanoseconds previous =
      trace_.gradients.empty() ? Nanoseconds{0} : trace_.gradients.back().ready;
  Gradient gradient = read_gradient_row(fields, columns, previous, place);
  if (!gradient.parameter.empty() && !names_.insert(gradient.parameter).second) {
    throw InputError(fmt::format("{}: the parameter `{}` is there twice; each once is accepted",
                                 place, gradient.parameter));
  }
  trace_.gradients.push_back(std::move(gradient));
}

Trace GradientListBuilder::take(std::string_view accepted) {
  if (trace_.gradients.empty()) {
    throw InputError(fmt::format("{}: lists no gradients; {}", source_, accepted));
  }
  const Nanoseconds last = trace_.gradients.back().ready;
  if (backward_ && *backward_ < last) {
    throw InputError(fmt::format(
        "{}: backward_us ends the backward pass at {:.3f}, before the last gradient is ready at "
        "{:.3f}; that time or later is accepted",
        backward_place_, microseconds(*backward_), microseconds(last)));
  }
  IterationMark iteration;
  iteration.end = backward_.value_or(last);
  iteration.representative = true;
  iteration.inferred = true;
  trace_.iterations.push_back(iteration);
  trace_.backwards.push_back(BackwardMark{0, Nanoseconds{0}, iteration.end});
  Provenance& provenance = trace_.provenance;
  if (provenance.standing.empty()) {
    provenance.standing = provenance.source.empty() ? "given" : "published";
  }
  return std::move(trace_);
}

}  // namespace gradwire
