#include "simulator/questions/explanation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "simulator/plan/planner.hpp"

namespace gradwire {
namespace {

using Loads = std::map<int, std::vector<LinkLoad>>;  // by op

Loads loads_of(const Plan& plan, const Cluster& cluster) {
  Loads loads;
  for (std::size_t op = 0; op < plan.ops.size(); ++op) {
    const Schedule* collective = plan.ops[op].collective.get();
    if (collective != nullptr) loads[static_cast<int>(op)] = link_loads(*collective, cluster);
  }
  return loads;
}

std::vector<PathStep> path_of(const Plan& plan, const CriticalPath& path, const Loads& loads) {
  std::vector<PathStep> steps;
  for (const PathSegment& segment : path.segments) {
    PathStep step{segment, std::nullopt};
    const auto found = loads.find(segment.op);
    if (found != loads.end() && !found->second.empty()) {
      const auto& collective = plan.ops[static_cast<std::size_t>(segment.op)].collective;
      step.link = bounding_link(found->second, *collective);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<LinkTraffic> link_traffic(const Loads& loads) {
  std::map<int, LinkLoad> by_link;
  for (const auto& [op, of_op] : loads) {
    for (const LinkLoad& load : of_op) {
      const auto [sum, added] = by_link.emplace(load.link, load);
      if (!added) sum->second.bytes += load.bytes;
    }
  }
  std::map<LinkKind, LinkTraffic> uses;
  for (const auto& [link, load] : by_link) {
    LinkTraffic& use = uses[load.place.kind];
    if (use.links == 0 || load.busy() > use.busiest.busy()) use.busiest = load;
    use.kind = load.place.kind;
    ++use.links;
    use.bytes += load.bytes;
  }
  std::vector<LinkTraffic> result;
  for (const auto& [kind, use] : uses) result.push_back(use);
  return result;
}

std::vector<Gain> gains_of(const Scenario& scenario, const Slopes& slopes) {
  constexpr double kPercent = 0.01;
  const auto less = [](const Slope& slope) { return slope.less.value_or(0.0); };
  std::vector<Gain> gains;
  const double gbps = scenario.cluster.nic.bandwidth.count() * 1e-9 * kPercent;
  gains.push_back({Improvement::kBandwidth, gbps, Seconds{-slopes.ms_per_gbps.more * gbps * 1e-3}});
  const Seconds latency = scenario.cluster.nic.latency * kPercent;
  gains.push_back({Improvement::kLatency, latency.count(),
                   less(slopes.ms_per_us) * latency * 1e3});  // ms per us is 1000
  if (slopes.ms_per_encode_ms) {
    const Seconds encode = *slopes.encode_decode * kPercent;
    gains.push_back(
        {Improvement::kEncodeDecode, encode.count(), less(*slopes.ms_per_encode_ms) * encode});
  }
  gains.push_back({Improvement::kCompute, (scenario.workload->backward_span * kPercent).count(),
                   Seconds{less(slopes.ms_per_compute_percent) * 1e-3}});
  std::stable_sort(gains.begin(), gains.end(),
                   [](const Gain& a, const Gain& b) { return a.saved > b.saved; });
  return gains;
}

}  // namespace

Explanation explain(const Scenario& scenario, Estimator estimator) {
  if (estimator == Estimator::kFormula) {
    throw InputError(
        "engine: \"formula\" found; it has no timeline to explain; accepted: simgrid, recurrence");
  }
  const Plan plan = make_plan(scenario);
  EstimatorSettings settings;
  settings.timeline.ranks.resize(static_cast<std::size_t>(scenario.workers));
  std::iota(settings.timeline.ranks.begin(), settings.timeline.ranks.end(), 0);
  Explanation explanation;
  explanation.result = estimate(scenario, estimator, settings);
  const CriticalPath path = critical_path_of(plan, explanation.result.timeline);
  const Loads loads = loads_of(plan, scenario.cluster);
  explanation.path = path_of(plan, path, loads);
  explanation.on_path = breakdown_of(path);
  explanation.links = link_traffic(loads);
  explanation.slopes = measure_slopes(scenario);
  explanation.gains = gains_of(scenario, explanation.slopes);
  const Scheme* scheme = scenario.compression.scheme.get();
  if (scheme != nullptr || is_overlapped(scenario)) {
    if (scheme != nullptr && !scheme->cast_size() && scenario.workers > 1) {
      explanation.exchange = scheme->transfers(tensor_shapes(scenario.workload));
    }
    Scenario uncompressed = scenario;
    uncompressed.compression = {};
    explanation.uncompressed = estimate(uncompressed, estimator);
  }
  return explanation;
}

}  // namespace gradwire
