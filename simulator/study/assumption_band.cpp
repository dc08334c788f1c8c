#include "simulator/study/assumption_band.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "compressors/cost/device_profile.hpp"
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

AnswerBand assumption_band(const Scenario& scenario, const Assumptions& assumptions) {
  const Seconds here = estimate(scenario, Estimator::kRecurrence).backward_sync;
  AnswerBand band{here, here};
  Scenario corner = scenario;
  for_each_corner(assumptions, [&](double slowdown, Seconds latency) {
    corner.overlap_slowdown = slowdown;
    corner.cluster.nic.latency = latency;
    const Seconds time = estimate(corner, Estimator::kRecurrence).backward_sync;
    band.low = std::min(band.low, time);
    band.high = std::max(band.high, time);
  });
  return band;
}

}  // namespace gradwire
