#include "simulator/study/assumption_band.hpp"

#include <algorithm>

#include "simulator/study/estimator.hpp"

namespace gradwire {

AnswerBand assumption_band(const Scenario& scenario, const Assumptions& assumptions) {
  AnswerBand band{Seconds::max(), Seconds::zero()};
  Scenario corner = scenario;
  for (const double slowdown : {assumptions.slowdown_low, assumptions.slowdown_high}) {
    for (const Seconds latency : {assumptions.latency_low, assumptions.latency_high}) {
      corner.overlap_slowdown = slowdown;
      corner.cluster.nic.latency = latency;
      const Seconds time = estimate(corner, Estimator::kRecurrence).backward_sync;
      band.low = std::min(band.low, time);
      band.high = std::max(band.high, time);
    }
  }
  return band;
}

}  // namespace gradwire
