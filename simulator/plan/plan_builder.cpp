#include "simulator/plan/plan_builder.hpp"

#include <algorithm>
#include <utility>

namespace gradwire {

PlanBuilder::PlanBuilder(const Scenario& scenario) : scenario_(scenario) {
  plan_.workers = scenario.workers;
  plan_.overlap_slowdown = scenario.overlap_slowdown;
  plan_.latency_mode = scenario.latency_mode;
  plan_.compute_factors = rank_factors(scenario);
  if (auto collective = second_job_collective(scenario)) {
    plan_.second_job = ForeignJob{std::move(collective), scenario.second_job->compute};
  }
  const NetworkConditions& conditions = scenario.conditions;
  plan_.link_events = capacity_changes(conditions.events, scenario.cluster);
  plan_.background = conditions.background;
  plan_.latency_jitter = conditions.latency_jitter;
  plan_.device_share = scenario.compression.overlap_costs.device_share;
}

int PlanBuilder::push(Op op) {
  op.bucket = bucket_;
  plan_.ops.push_back(std::move(op));
  return static_cast<int>(plan_.ops.size()) - 1;
}

int PlanBuilder::add_backward(Seconds until, std::string label, std::vector<int> after) {
  // Buckets launch in order: one that is ready early waits for those in front of it.
  const Seconds end = std::max(done_, until);
  const Seconds work = end - done_;
  done_ = end;
  return push({Stream::kCompute, std::move(label), std::move(after), work, nullptr});
}

int PlanBuilder::add_collective(const CollectiveCall& call, std::string label,
                                std::vector<int> after) {
  const Elements elements = scaled_payload(call.elements, scenario_.compression);
  return push({Stream::kCommunication, std::move(label), std::move(after), Seconds{0},
               schedule_of(scenario_, {call.kind, elements, call.element_size})});
}

int PlanBuilder::add_device_task(DeviceTask task, Stream stream, Seconds work, std::string label,
                                 std::vector<int> after) {
  return push({stream, std::move(label), std::move(after), work, nullptr, task});
}

int PlanBuilder::add_host(Seconds work, std::string label, std::vector<int> after) {
  return push({Stream::kHost, std::move(label), std::move(after), work, nullptr});
}

Plan PlanBuilder::finish(std::vector<int> tail_after) {
  bucket_.reset();
  if (done_ < scenario_.workload->backward_span || plan_.ops.empty()) {
    add_backward(scenario_.workload->backward_span, "C-tail", std::move(tail_after));
  }
  return std::move(plan_);
}

}  // namespace gradwire
