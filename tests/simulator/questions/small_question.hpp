#pragma once

#include <fmt/format.h>

#include <string>

#include "compressors/cost/cost_profile.hpp"
#include "simulator/questions/advice.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire::test {

/// Two buckets of 60,000 and 40,000 elements, ready at 10 and 20 of 25 ms, on nodes of one GPU. No
/// latency, 32 Mbps: among two ranks an all-reduce of e float32 takes e microseconds, and so does
/// an all-gather of e words a rank.
inline Scenario small_scenario(int workers = 2) {
  Scenario scenario;
  scenario.workload = workload_of({{10, 60'000}, {20, 40'000}}, 25);
  scenario.caps = {Bytes{1}, Bytes{1}};
  scenario.cluster = flat_cluster(workers, 32e6, 0.0);
  scenario.workers = workers;
  return scenario;
}

/// One figure of signsgd on all of `small_scenario`'s gradients.
inline std::string signs_entry(double encode_ms, double decode_ms, int ranks = 0) {
  return fmt::format(
      "entry {{ scheme: \"signsgd\" elements: 100000 tensors: 2 {} encode_s: {} decode_s: {} "
      "standing: MEASURED date: \"2026\" source: \"a test\" }}\n",
      ranks == 0 ? "" : fmt::format("ranks: {}", ranks), encode_ms * 1e-3, decode_ms * 1e-3);
}

/// Of the device "Chip 1", without a model.
inline CostProfile profile_of(const std::string& entries) {
  return parse_cost_profile("name: \"chip-1\" device_patterns: \"Chip 1\"\n" + entries, "a test");
}

/// Nothing is unsure: one corner, which is the answer itself.
inline Assumptions sure_assumptions() { return {}; }

inline AdviceQuestion small_question(const std::string& entries,
                                     std::vector<std::string> compressors = {"signsgd"}) {
  return {small_scenario(), sure_assumptions(), "Chip 1", profile_of(entries),
          std::move(compressors)};
}

}  // namespace gradwire::test
