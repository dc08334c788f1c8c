#include "simulator/plan/planner.hpp"

#include <fmt/format.h>

#include <optional>

#include "simulator/plan/overlapped_hook.hpp"
#include "simulator/plan/plan_builder.hpp"

namespace gradwire {

namespace {

/// Each bucket's all-reduce behind the compute that fills it. `wire` replaces the element size.
void add_buckets(std::optional<Bytes> wire, PlanBuilder& builder) {
  const Scenario& scenario = builder.scenario();
  const std::vector<Bucket> buckets = make_buckets(scenario.workload->gradients, scenario.caps);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    builder.begin_bucket(i);
    const int filled = builder.add_backward(buckets[i].ready, fmt::format("C{}", i));
    const Bytes size = wire.value_or(element_size(buckets[i].dtype).value());
    builder.add_collective({CollectiveKind::kAllReduce, buckets[i].elements, size},
                           fmt::format("A{}", i), {filled});
  }
}

/// A recorded phase behind `after`, a host op and a device op a kernel; what must have ended for
/// what follows. The host begins when `after` has ended, as in the study, which waits for the
/// device there.
std::vector<int> add_kernels(const std::vector<CompressorKernel>& kernels, DeviceTask task,
                             std::vector<int> after, PlanBuilder& builder) {
  if (kernels.empty()) return after;
  std::vector<int> host = after;
  std::optional<int> main;
  std::optional<int> side;
  for (const CompressorKernel& kernel : kernels) {
    if (kernel.host.count() > 0.0) host = {builder.add_host(kernel.host, "launch", host)};
    // What two streams cost each other is in the recorded durations already.
    const Stream stream = kernel.side_stream ? Stream::kFree : Stream::kCompute;
    (kernel.side_stream ? side : main) =
        builder.add_device_task(task, stream, kernel.device, kernel.name, host);
  }
  std::vector<int> ended = std::move(host);
  if (main) ended.push_back(*main);
  if (side) ended.push_back(*side);
  return ended;
}

/// The same with recorded kernels: encode, all transfers but the last, what stands between, the
/// last, decode.
void add_recorded_compression(const CompressorTimeline& timeline, PlanBuilder& builder) {
  const Scenario& scenario = builder.scenario();
  const std::vector<Transfer> transfers =
      scenario.compression.scheme->transfers(tensor_shapes(scenario.workload));
  std::vector<int> last = {builder.add_backward(scenario.workload->backward_span, "C")};
  last = add_kernels(timeline.encode, DeviceTask::kEncode, last, builder);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (i + 1 == transfers.size()) {
      last = add_kernels(timeline.between, DeviceTask::kEncode, last, builder);
    }
    last = {builder.add_collective(
        {transfers[i].kind, transfers[i].elements, transfers[i].element_size}, transfers[i].what,
        last)};
  }
  add_kernels(timeline.decode, DeviceTask::kDecode, last, builder);
}

/// Encode, exchange, decode behind the whole backward pass, one after the other.
void add_serial_compression(PlanBuilder& builder) {
  const Scenario& scenario = builder.scenario();
  const Compression& compression = scenario.compression;
  if (compression.timeline) return add_recorded_compression(*compression.timeline, builder);
  int last = builder.add_backward(scenario.workload->backward_span, "C");
  last = builder.add_device_task(DeviceTask::kEncode, Stream::kCompute, compression.encode,
                                 "encode", {last});
  for (const Transfer& transfer : compression.scheme->transfers(tensor_shapes(scenario.workload))) {
    last = builder.add_collective({transfer.kind, transfer.elements, transfer.element_size},
                                  transfer.what, {last});
  }
  builder.add_device_task(DeviceTask::kDecode, Stream::kCompute, compression.decode, "decode",
                          {last});
}

}  // namespace

Plan make_plan(const Scenario& scenario) {
  check_scenario(scenario);
  if (is_overlapped(scenario)) return make_overlapped_plan(scenario);
  PlanBuilder builder(scenario);
  if (scenario.workers > 1) {
    const Scheme* scheme = scenario.compression.scheme.get();
    const std::optional<Bytes> cast = scheme != nullptr ? scheme->cast_size() : std::nullopt;
    if (scheme == nullptr || cast) {
      add_buckets(cast, builder);
    } else {
      add_serial_compression(builder);
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
