#include "simulator/workload/iteration_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "simulator/workload/iteration_finder.hpp"
#include "traces/model/iteration_selection.hpp"

namespace gradwire {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

Range parse_range(const std::string& choice) {
  const std::size_t dots = choice.find("..");
  const auto first = number_from<std::int64_t>(std::string_view(choice).substr(0, dots));
  const auto last = dots == std::string::npos
                        ? first
                        : number_from<std::int64_t>(std::string_view(choice).substr(dots + 2));
  if (!first || !last || *last < *first) {
    throw InputError(fmt::format(
        "--keep-iterations: {} found; representative, a number as inspect shows it, or a range "
        "(5..14) is accepted",
        choice));
  }
  return {*first, *last};
}

/// Where the iterations of these numbers are in the trace.
std::pair<std::int32_t, std::int32_t> find_range(const Trace& trace, const std::string& choice) {
  if (choice == "representative") {
    const auto found = find_representative_iteration(trace);
    if (found) return {*found, *found};
    throw InputError(
        "--keep-iterations: the trace has no complete iteration with a backward pass, so none is "
        "representative");
  }
  const auto [first, last] = parse_range(choice);
  const auto find = [&trace](std::int64_t number) {
    return std::find_if(trace.iterations.begin(), trace.iterations.end(),
                        [number](const IterationMark& mark) { return mark.number == number; });
  };
  const auto from = find(first);
  const auto to = find(last);
  if (from == trace.iterations.end() || to == trace.iterations.end()) {
    throw InputError(
        fmt::format("--keep-iterations: {} found; the trace has {}", choice,
                    trace.iterations.empty()
                        ? "no iterations"
                        : fmt::format("the iterations {} to {}", trace.iterations.front().number,
                                      trace.iterations.back().number)));
  }
  return {static_cast<std::int32_t>(from - trace.iterations.begin()),
          static_cast<std::int32_t>(to - trace.iterations.begin())};
}

}  // namespace

Trace keep_chosen_iterations(Trace trace, const std::string& choice) {
  const auto [first, last] = find_range(trace, choice);
  trace = keep_iterations(std::move(trace), first, last);
  if (const auto representative = find_representative_iteration(trace)) {
    trace.iterations[static_cast<std::size_t>(*representative)].representative = true;
  }
  const std::int64_t from = trace.iterations.front().number;
  const std::int64_t to = trace.iterations.back().number;
  trace.provenance.left_out.push_back(
      from == to ? fmt::format("all iterations but number {}", from)
                 : fmt::format("all iterations but numbers {} to {}", from, to));
  return trace;
}

}  // namespace gradwire
