#include "simulator/plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/collectives/registry.hpp"

namespace gradwire {

Plan make_plan(const Scenario& scenario) {
  check_scenario(scenario);
  Plan plan;
  plan.workers = scenario.workers;
  plan.overlap_slowdown = scenario.overlap_slowdown;
  plan.latency_mode = scenario.latency_mode;
  plan.compute_factors = scenario.compute_factors;

  Seconds done{0};
  const auto add_compute = [&](Seconds until, std::string label) {
    plan.ops.push_back({Stream::kCompute, std::move(label), {}, until - done, nullptr});
    done = until;
    return static_cast<int>(plan.ops.size()) - 1;
  };
  if (scenario.workers > 1) {
    const std::vector<Bucket> buckets = make_buckets(scenario.workload.gradients, scenario.caps);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Bucket& bucket = buckets[i];
      // Buckets launch in order: one that is ready early waits for those in front of it.
      const int filled = add_compute(std::max(done, bucket.ready), fmt::format("C{}", i));
      const CollectiveCall call{CollectiveKind::kAllReduce, bucket.elements,
                                element_size(bucket.dtype).value()};
      plan.ops.push_back({Stream::kCommunication,
                          fmt::format("A{}", i),
                          {filled},
                          Seconds{0},
                          make_schedule(call, scenario.workers)});
    }
  }
  if (done < scenario.workload.backward_span || plan.ops.empty()) {
    add_compute(scenario.workload.backward_span, "C-tail");
  }
  return plan;
}

Plan make_collective_plan(std::shared_ptr<const Schedule> collective, LatencyMode mode) {
  Plan plan;
  plan.workers = collective->ranks();
  plan.latency_mode = mode;
  plan.ops.push_back({Stream::kCommunication, "A0", {}, Seconds{0}, std::move(collective)});
  return plan;
}

}  // namespace gradwire
