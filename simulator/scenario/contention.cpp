#include "simulator/scenario/contention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "simulator/collectives/shared_links.hpp"

namespace gradwire {
namespace {

/// One call of each kind: which links a collective crosses does not depend on its size.
std::vector<CollectiveCall> kinds_of_calls(const Scenario& scenario) {
  const Scheme* scheme = scenario.compression.scheme.get();
  if (!is_overlapped(scenario) && (scheme == nullptr || scheme->cast_size())) {
    return {{CollectiveKind::kAllReduce, Elements{1}, Bytes{4}}};
  }
  std::vector<CollectiveCall> calls;
  for (const HookExchange& exchange : hook_exchanges(scenario)) {
    for (const Transfer& transfer : exchange.transfers) {
      const CollectiveCall call{transfer.kind, Elements{1}, Bytes{1}};
      if (std::find(calls.begin(), calls.end(), call) == calls.end()) calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace

bool links_are_shared(const Scenario& scenario) {
  check_scenario(scenario);
  if (scenario.workers == 1) return false;
  if (second_job_collective(scenario)) return true;
  if (scenario.conditions.on_links()) return true;
  // On one switch rings in rank order cross no link twice; most questions end here.
  const bool rings = scenario.all_gather == "ring" && scenario.all_reduce == "ring";
  if (scenario.cluster.topology == nullptr && scenario.ring_order.empty() && rings) return false;
  std::vector<CollectiveCall> calls = kinds_of_calls(scenario);
  if (scenario.all_reduce == "nccl") {  // whose choice does depend on the size
    calls.push_back({CollectiveKind::kAllReduce, Elements{std::int64_t{1} << 36}, Bytes{4}});
  }
  return std::any_of(calls.begin(), calls.end(), [&](const CollectiveCall& call) {
    return shares_links(*schedule_of(scenario, call), scenario.cluster);
  });
}

void check_unshared(const Scenario& scenario) {
  if (links_are_shared(scenario)) {
    throw InputError(
        "this scenario shares links, or has link events or background traffic; only --engine "
        "simgrid answers it");
  }
}

bool has_closed_form(const Scenario& scenario) {
  return !links_are_shared(scenario) && !scenario.conditions.latency_jitter &&
         !scenario.cluster.shaper;
}

void check_closed_form(const Scenario& scenario) {
  check_unshared(scenario);
  if (has_closed_form(scenario)) return;
  throw InputError(fmt::format("the formula knows no {}; use --engine recurrence or simgrid",
                               scenario.cluster.shaper ? "shaper" : "latency jitter"));
}

Scenario nominal(const Scenario& scenario) {
  Scenario result = scenario;
  result.cluster.topology.reset();
  result.cluster.shaper.reset();
  result.cluster.slow_nics.clear();
  result.ring_order.clear();
  result.all_gather = Scenario{}.all_gather;
  result.all_reduce = Scenario{}.all_reduce;
  result.second_job.reset();
  result.conditions = {};
  return result;
}

}  // namespace gradwire
