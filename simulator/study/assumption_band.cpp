#include "simulator/study/assumption_band.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "compressors/cost/device_profile.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {

Assumptions make_assumptions(const std::string& device, const Cluster& cluster) {
  const OverlapSlowdown slowdown = overlap_slowdown_of(device);
  const LatencyBand sure{cluster.nic.latency, cluster.nic.latency};
  const LatencyBand latency = cluster.nic_latency_band.value_or(sure);
  Assumptions result{slowdown.factor, slowdown.low, slowdown.high, latency.low, latency.high, {}};
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
  return result;
}

CornerTimes corner_times(const Scenario& scenario, const Assumptions& assumptions) {
  // The recurrence is much the fastest, and right wherever no link is shared.
  const Estimator estimator =
      links_are_shared(scenario) ? Estimator::kSimgrid : Estimator::kRecurrence;
  CornerTimes times;
  times.here = estimate(scenario, estimator).backward_sync;
  Scenario corner = scenario;
  std::size_t i = 0;
  for (const double slowdown : {assumptions.slowdown_low, assumptions.slowdown_high}) {
    for (const Seconds latency : {assumptions.latency_low, assumptions.latency_high}) {
      corner.overlap_slowdown = slowdown;
      corner.cluster.nic.latency = latency;
      times.corners[i++] = estimate(corner, estimator).backward_sync;
    }
  }
  return times;
}

AnswerBand band_of(const CornerTimes& times) {
  const auto [low, high] = std::minmax_element(times.corners.begin(), times.corners.end());
  return {std::min(times.here, *low), std::max(times.here, *high)};
}

}  // namespace gradwire
