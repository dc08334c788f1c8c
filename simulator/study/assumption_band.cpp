#include "simulator/study/assumption_band.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/unit_text.hpp"
#include "compressors/cost/device_profile.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {

Assumptions make_assumptions(const Workload& workload, const std::string& device,
                             const Cluster& cluster) {
  const OverlapSlowdown slowdown = overlap_slowdown_of(device);
  const LatencyBand sure{cluster.nic.latency, cluster.nic.latency};
  const LatencyBand latency = cluster.nic_latency_band.value_or(sure);
  Assumptions result;
  result.slowdown = slowdown.factor;
  result.slowdown_low = slowdown.low;
  result.slowdown_high = slowdown.high;
  result.latency_low = latency.low;
  result.latency_high = latency.high;
  result.basis.push_back(
      fmt::format("compute takes {} times as long while communicating on {} ({}; band {} to {})",
                  slowdown.factor, device.empty() ? "an unknown device" : device, slowdown.standing,
                  slowdown.low, slowdown.high));
  std::string message = fmt::format("{} a message between nodes", format_duration(sure.low));
  if (cluster.nic_latency_band) {
    message += fmt::format(" (assumed; band {} to {})", format_duration(latency.low),
                           format_duration(latency.high));
  }
  if (cluster.topology != nullptr && cluster.topology->links() > 0) {
    message += ", beside that of the links between switches on its way";
  }
  result.basis.push_back(std::move(message));
  if (cluster.nics_per_node > 1) {
    result.basis.push_back(
        fmt::format("{} NICs a node, each of the speed said; {}", cluster.nics_per_node,
                    cluster.nic_use == NicUse::kStriped ? "every message is cut over all of them"
                                                        : "a GPU uses one of them"));
  }
  if (cluster.efficiency < 1.0) {
    result.basis.push_back(
        fmt::format("{} of the NICs' and switches' rate is left to payload", cluster.efficiency));
  }
  if (cluster.host_cap) {
    result.basis.push_back(fmt::format("a node's network stack moves at most {} in each direction",
                                       format_bandwidth(*cluster.host_cap)));
  }
  if (cluster.flow_cap) {
    result.basis.push_back(fmt::format("a message between nodes gets at most {}",
                                       format_bandwidth(*cluster.flow_cap)));
  }
  if (workload.compute_band) {
    result.compute_low = workload.compute_band->low_factor;
    result.compute_high = workload.compute_band->high_factor;
    result.basis.push_back(fmt::format("{}: {}", workload.name, workload.compute_band->basis));
  }
  return result;
}

Assumptions assumptions_of_changed(const Scenario& asked, const Scenario& changed,
                                   const std::string& device) {
  Assumptions result = make_assumptions(changed.workload, device, changed.cluster);
  if (changed.overlap_slowdown == asked.overlap_slowdown) return result;
  const double slowdown = changed.overlap_slowdown;
  result.slowdown = result.slowdown_low = result.slowdown_high = slowdown;
  result.basis.front() =
      fmt::format("compute takes {} times as long while communicating (as asked)", slowdown);
  return result;
}

namespace {

/// Calls `play(scenario)` at every corner of the bands.
template <class Play>
void play_corners(const Scenario& scenario, const Assumptions& assumptions, Play play) {
  std::vector<double> computes = {assumptions.compute_low, assumptions.compute_high};
  if (computes[0] == computes[1]) computes.pop_back();
  for (const double compute : computes) {
    Scenario corner = with_faster_compute(scenario, 1.0 / compute);
    for (const double slowdown : {assumptions.slowdown_low, assumptions.slowdown_high}) {
      for (const Seconds latency : {assumptions.latency_low, assumptions.latency_high}) {
        corner.overlap_slowdown = slowdown;
        corner.cluster.nic.latency = latency;
        play(corner, compute);
      }
    }
  }
}

}  // namespace

CornerTimes corner_times(const Scenario& scenario, const Assumptions& assumptions,
                         const SimgridSettings& simgrid) {
  CornerTimes times;
  if (links_are_shared(scenario)) {
    // The quick recurrence does not hold, and every corner is a simulation.
    times.here = quickest_time(scenario, simgrid);
    play_corners(scenario, assumptions, [&](const Scenario& corner, double) {
      times.corners.push_back(quickest_time(corner, simgrid));
    });
    return times;
  }
  times.here = recurrence_time(scenario);
  // Corners with the same compute time have the same plan but for the slow-down.
  std::optional<Plan> plan;
  double planned_for = 0.0;
  play_corners(scenario, assumptions, [&](const Scenario& corner, double compute) {
    if (!plan || compute != planned_for) plan = make_plan(corner);
    planned_for = compute;
    plan->overlap_slowdown = corner.overlap_slowdown;
    times.corners.push_back(quick_recurrence_end(*plan, corner.cluster));
  });
  return times;
}

AnswerBand band_of(const CornerTimes& times) {
  const auto [low, high] = std::minmax_element(times.corners.begin(), times.corners.end());
  return {std::min(times.here, *low), std::max(times.here, *high)};
}

}  // namespace gradwire
