#include "simulator/scenario/what_if.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {

Scenario with_faster_compute(Scenario scenario, double factor) {
  GW_CHECK(factor > 0.0, "compute gets faster by a factor above 0");
  if (factor == 1.0) return scenario;
  Workload& workload = scenario.workload.edit();
  for (ReadyGradient& gradient : workload.gradients) {
    gradient.ready /= factor;
    if (gradient.launched) gradient.launched = std::min(*gradient.launched, gradient.ready);
  }
  workload.backward_span /= factor;
  if (workload.backward_busy) *workload.backward_busy /= factor;
  workload.outside_backward.reset();
  return scenario;
}

namespace {

void divide(std::vector<CompressorKernel>& kernels, double divisor) {
  for (CompressorKernel& kernel : kernels) {
    kernel.host /= divisor;
    kernel.device /= divisor;
  }
}

}  // namespace

Scenario with_cheaper_encode(Scenario scenario, double divisor) {
  GW_CHECK(divisor > 0.0, "encoding gets cheaper by a factor above 0");
  scenario.compression.encode /= divisor;
  scenario.compression.decode /= divisor;
  for (BucketCost& bucket : scenario.compression.buckets) bucket = bucket * (1.0 / divisor);
  if (scenario.compression.timeline && divisor != 1.0) {
    CompressorTimeline timeline = *scenario.compression.timeline;
    divide(timeline.encode, divisor);
    divide(timeline.between, divisor);
    divide(timeline.decode, divisor);
    scenario.compression.timeline = std::make_shared<const CompressorTimeline>(std::move(timeline));
  }
  return scenario;
}

Scenario with_payload(Scenario scenario, double factor) {
  GW_CHECK(factor > 0.0, "a payload grows by a factor above 0");
  scenario.compression.payload_factor *= factor;
  return scenario;
}

}  // namespace gradwire
