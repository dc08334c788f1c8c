#include "simulator/validation/measured_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/study/workload_file.hpp"

namespace gradwire {
namespace {

/// Makes each gradient later by `make` seconds for every byte up to and including its own.
Workload with_making(Workload workload, double make) {
  Seconds late{0};
  for (ReadyGradient& gradient : workload.gradients) {
    late += Seconds{static_cast<double>(gradient.bytes().count()) * make};
    gradient.ready += late;
  }
  workload.backward_span += late;
  return workload;
}

LoadedWorkload load_spread_workload(const MeasuredWorkload& source) {
  WorkloadSource wanted;
  wanted.name = source.name;
  wanted.trace = source.trace;
  if (source.alone && source.spread == AloneSpread::kScale) {
    wanted.backward = source.alone;
    wanted.backward_source = source.alone_source;
  }
  LoadedWorkload loaded;
  loaded.as_listed = read_workload(wanted, {});
  loaded.as_measured = loaded.as_listed;
  if (!source.alone || source.spread == AloneSpread::kScale) return loaded;
  const Seconds more = *source.alone - loaded.as_listed.backward_span;
  if (more < Seconds{0}) {
    throw InputError(fmt::format(
        "workload {}: alone: {} found, less than the {} of {}; with alone_spread: \"bytes\" that "
        "or more is accepted",
        source.name, format_duration(*source.alone),
        format_duration(loaded.as_listed.backward_span), source.trace.string()));
  }
  loaded.make = more.count() / static_cast<double>(loaded.as_listed.total_bytes().count());
  loaded.as_measured = with_making(loaded.as_listed, loaded.make);
  return loaded;
}

}  // namespace

Workload in_initial_order(Workload workload, const std::vector<std::string>& registration) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < registration.size(); ++i) places[registration[i]] = i;
  for (const ReadyGradient& gradient : workload.gradients) {
    if (places.contains(gradient.parameter)) continue;
    throw InputError(fmt::format("{}: parameter \"{}\" is not among the {} registered ones",
                                 workload.name, gradient.parameter, registration.size()));
  }
  std::sort(workload.gradients.begin(), workload.gradients.end(),
            [&](const ReadyGradient& a, const ReadyGradient& b) {
              return places[a.parameter] > places[b.parameter];
            });
  return workload;
}

std::vector<std::string> read_registration(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) names.push_back(line);
  if (names.empty()) {
    throw InputError(
        fmt::format("{}: no parameter names found; a line each is accepted", path.string()));
  }
  return names;
}

LoadedWorkload load_workload(const MeasuredWorkload& source) {
  LoadedWorkload loaded = load_spread_workload(source);
  if (source.outside) {
    loaded.as_measured.outside_backward = source.outside;
    loaded.as_listed.outside_backward = source.outside;
  }
  return loaded;
}

}  // namespace gradwire
