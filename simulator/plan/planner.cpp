#include "simulator/plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace gradwire {

namespace {

/// Appends ops to a plan and keeps the compute stream's position in the backward pass.
class PlanBuilder {
 public:
  explicit PlanBuilder(const Scenario& scenario) : scenario_(scenario) {
    plan_.workers = scenario.workers;
    plan_.overlap_slowdown = scenario.overlap_slowdown;
    plan_.latency_mode = scenario.latency_mode;
    plan_.compute_factors = scenario.compute_factors;
    if (auto collective = second_job_collective(scenario)) {
      plan_.second_job = ForeignJob{std::move(collective), scenario.second_job->compute};
    }
  }

  /// Each bucket's all-reduce behind the compute that fills it. `wire` replaces the element size.
  void add_buckets(std::optional<Bytes> wire) {
    const std::vector<Bucket> buckets = make_buckets(scenario_.workload->gradients, scenario_.caps);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      // Buckets launch in order: one that is ready early waits for those in front of it.
      const int filled = add_backward(std::max(done_, buckets[i].ready), fmt::format("C{}", i));
      const Bytes size = wire.value_or(element_size(buckets[i].dtype).value());
      add_collective({CollectiveKind::kAllReduce, buckets[i].elements, size}, fmt::format("A{}", i),
                     filled);
    }
  }

  /// Encode, exchange, decode behind the whole backward pass, one after the other.
  void add_serial_compression() {
    const Compression& compression = scenario_.compression;
    int last = add_backward(scenario_.workload->backward_span, "C");
    last = add_device_task(DeviceTask::kEncode, compression.encode, "encode", last);
    for (const Transfer& transfer :
         compression.scheme->transfers(tensor_shapes(scenario_.workload))) {
      last = add_collective({transfer.kind, transfer.elements, transfer.element_size},
                            transfer.what, last);
    }
    add_device_task(DeviceTask::kDecode, compression.decode, "decode", last);
  }

  /// What of the backward pass is left behind the last gradient.
  Plan finish() {
    if (done_ < scenario_.workload->backward_span || plan_.ops.empty()) {
      add_backward(scenario_.workload->backward_span, "C-tail");
    }
    return std::move(plan_);
  }

 private:
  int push(Op op) {
    plan_.ops.push_back(std::move(op));
    return static_cast<int>(plan_.ops.size()) - 1;
  }

  int add_backward(Seconds until, std::string label) {
    const Seconds work = until - done_;
    done_ = until;
    return push({Stream::kCompute, std::move(label), {}, work, nullptr});
  }

  int add_collective(const CollectiveCall& call, std::string label, int after) {
    return push({Stream::kCommunication,
                 std::move(label),
                 {after},
                 Seconds{0},
                 schedule_of(scenario_, call)});
  }

  int add_device_task(DeviceTask task, Seconds work, std::string label, int after) {
    return push({Stream::kCompute, std::move(label), {after}, work, nullptr, task});
  }

  const Scenario& scenario_;
  Plan plan_;
  Seconds done_{0};
};

}  // namespace

Plan make_plan(const Scenario& scenario) {
  check_scenario(scenario);
  PlanBuilder builder(scenario);
  if (scenario.workers > 1) {
    const Scheme* scheme = scenario.compression.scheme.get();
    const std::optional<Bytes> cast = scheme != nullptr ? scheme->cast_size() : std::nullopt;
    if (scheme == nullptr || cast) {
      builder.add_buckets(cast);
    } else {
      builder.add_serial_compression();
    }
  }
  return builder.finish();
}

Plan make_collective_plan(std::shared_ptr<const Schedule> collective, LatencyMode mode) {
  Plan plan;
  plan.workers = collective->ranks();
  plan.latency_mode = mode;
  plan.ops.push_back({Stream::kCommunication, "A0", {}, Seconds{0}, std::move(collective)});
  return plan;
}

}  // namespace gradwire
