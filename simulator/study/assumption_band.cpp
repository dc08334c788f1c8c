#include "simulator/study/assumption_band.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "compressors/cost/device_profile.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/plan/planner.hpp"
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
  result.basis.push_back(std::move(message));
  if (workload.compute_band) {
    result.compute_low = workload.compute_band->low_factor;
    result.compute_high = workload.compute_band->high_factor;
    result.basis.push_back(fmt::format("{}: {}", workload.name, workload.compute_band->basis));
  }
  return result;
}

CornerTimes corner_times(const Scenario& scenario, const Assumptions& assumptions) {
  CornerTimes times;
  times.here = recurrence_time(scenario);
  std::vector<double> computes = {assumptions.compute_low, assumptions.compute_high};
  if (computes[0] == computes[1]) computes.pop_back();
  for (const double compute : computes) {
    Plan plan = make_plan(with_faster_compute(scenario, 1.0 / compute));
    Cluster cluster = scenario.cluster;
    for (const double slowdown : {assumptions.slowdown_low, assumptions.slowdown_high}) {
      for (const Seconds latency : {assumptions.latency_low, assumptions.latency_high}) {
        plan.overlap_slowdown = slowdown;
        cluster.nic.latency = latency;
        times.corners.push_back(quick_recurrence_end(plan, cluster));
      }
    }
  }
  return times;
}

AnswerBand band_of(const CornerTimes& times) {
  const auto [low, high] = std::minmax_element(times.corners.begin(), times.corners.end());
  return {std::min(times.here, *low), std::max(times.here, *high)};
}

}  // namespace gradwire
