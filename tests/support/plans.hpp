#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/collectives/registry.hpp"
#include "simulator/plan/plan.hpp"

namespace gradwire::test {

/// Collectives one after the other on the communication stream, no compute.
inline Plan collectives_in_a_row(const std::vector<std::shared_ptr<const Schedule>>& schedules,
                                 LatencyMode mode = LatencyMode::kBlocking) {
  Plan plan;
  plan.workers = schedules.front()->ranks();
  plan.latency_mode = mode;
  for (const auto& schedule : schedules) {
    plan.ops.push_back(
        {Stream::kCommunication, "A" + std::to_string(plan.ops.size()), {}, Seconds{0}, schedule});
  }
  return plan;
}

/// One bucket of a hand-made backward pass: `work` of compute, then an all-reduce of `elements`
/// float32.
struct BucketOfPlan {
  double work_seconds = 0.0;
  std::int64_t elements = 0;
};

/// The plan that data-parallel training with these buckets has, put together by hand.
inline Plan training_plan(int workers, const std::vector<BucketOfPlan>& buckets,
                          double overlap_slowdown = 1.0, std::vector<double> compute_factors = {}) {
  Plan plan;
  plan.workers = workers;
  plan.overlap_slowdown = overlap_slowdown;
  plan.compute_factors = std::move(compute_factors);
  for (const BucketOfPlan& bucket : buckets) {
    const std::string number = std::to_string(plan.ops.size() / 2);
    plan.ops.push_back({Stream::kCompute, "C" + number, {}, Seconds{bucket.work_seconds}, nullptr});
    const CollectiveCall call{CollectiveKind::kAllReduce, Elements{bucket.elements}, Bytes{4}};
    plan.ops.push_back({Stream::kCommunication,
                        "A" + number,
                        {static_cast<int>(plan.ops.size()) - 1},
                        Seconds{0},
                        make_schedule(call, workers)});
  }
  return plan;
}

}  // namespace gradwire::test
