#include "simulator/scenario/what_if.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/scenario/compression_cost.hpp"
#include "simulator/workload/batch_scaling.hpp"
#include "simulator/workload/workload_times.hpp"

namespace gradwire {
namespace {

void divide(std::vector<CompressorKernel>& kernels, double divisor) {
  for (CompressorKernel& kernel : kernels) {
    kernel.host /= divisor;
    kernel.device /= divisor;
  }
}

/// Says that the times of `workload` are no longer those that were measured.
void mark_derived(Workload& workload, const std::string& how) {
  workload.compute_standing = "derived";
  workload.compute_basis =
      fmt::format("the backward pass of {} is derived ({}); {}",
                  format_duration(workload.backward_span), how, workload.compute_basis);
}

bool compresses(const Compression& compression) {
  return compression.scheme && !compression.scheme->cast_size();
}

/// A ring order and factors by rank belong to one number of workers or nodes.
void refuse_fixed_ranks(const Scenario& scenario, const char* what) {
  if (!scenario.ring_order.empty()) {
    throw InputError(fmt::format(
        "{}: found beside shuffled rings, which are those of {} workers; one of both is accepted",
        what, scenario.workers));
  }
}

}  // namespace

Scenario with_faster_compute(Scenario scenario, double factor) {
  GW_CHECK(factor > 0.0, "compute gets faster by a factor above 0");
  if (factor == 1.0) return scenario;
  Workload& workload = scenario.workload.edit();
  scale_times(workload, 1.0 / factor);
  mark_derived(workload, fmt::format("{:.4g} times as fast", factor));
  return scenario;
}

Scenario with_faster_kernels(Scenario scenario, double factor, const std::string& kernel_class) {
  GW_CHECK(factor > 0.0, "kernels get faster by a factor above 0");
  Workload& workload = scenario.workload.edit();
  scale_kernels(workload, 1.0 / factor, kernel_class);
  mark_derived(workload, fmt::format("{} kernels {:.4g} times as fast, the gaps between them kept",
                                     kernel_class.empty() ? "all" : kernel_class, factor));
  return scenario;
}

Scenario with_cheaper_encode(Scenario scenario, double divisor) {
  return with_cheaper_codec(std::move(scenario), divisor, divisor);
}

Scenario with_cheaper_codec(Scenario scenario, double encode_divisor, double decode_divisor) {
  GW_CHECK(encode_divisor > 0.0 && decode_divisor > 0.0,
           "encoding gets cheaper by a factor above 0");
  Compression& compression = scenario.compression;
  compression.encode /= encode_divisor;
  compression.decode /= decode_divisor;
  for (BucketCost& bucket : compression.buckets) {
    bucket.encode = bucket.encode * (1.0 / encode_divisor);
    bucket.between = bucket.between * (1.0 / encode_divisor);
    bucket.decode = bucket.decode * (1.0 / decode_divisor);
  }
  if (compression.source) {
    compression.source->encode_factor /= encode_divisor;
    compression.source->decode_factor /= decode_divisor;
  }
  if (compression.timeline && (encode_divisor != 1.0 || decode_divisor != 1.0)) {
    CompressorTimeline timeline = *compression.timeline;
    divide(timeline.encode, encode_divisor);
    divide(timeline.between, encode_divisor);
    divide(timeline.decode, decode_divisor);
    compression.timeline = std::make_shared<const CompressorTimeline>(std::move(timeline));
  }
  return scenario;
}

Scenario with_costs_of(Scenario scenario, std::shared_ptr<const Scheme> scheme) {
  Compression& compression = scenario.compression;
  if (scheme->cast_size()) {
    throw InputError(fmt::format(
        "costs of another compressor: {} found, a cast, whose time is not modelled; the "
        "other compressors are accepted",
        scheme->spelling()));
  }
  if (!compresses(compression)) return scenario;
  if (!compression.source || !compression.source->profile) {
    throw InputError(
        "costs of another compressor: the costs come from no cost profile; --cost-profile or a "
        "device that has one is accepted");
  }
  compression.source->priced_as = std::move(scheme);
  return with_costs_of_source(std::move(scenario));
}

Scenario with_payload(Scenario scenario, double factor) {
  GW_CHECK(factor > 0.0, "a payload grows by a factor above 0");
  scenario.compression.payload_factor *= factor;
  return scenario;
}

Scenario with_bandwidth(Scenario scenario, BitsPerSecond bandwidth) {
  scenario.cluster.nic.bandwidth = bandwidth;
  return scenario;
}

Scenario with_latency(Scenario scenario, Seconds latency) {
  scenario.cluster.nic.latency = latency;
  scenario.cluster.nic_latency_band.reset();
  return scenario;
}

Scenario with_workers(Scenario scenario, int workers) {
  refuse_fixed_ranks(scenario, "workers");
  if (!scenario.compute_factors.empty()) {
    throw InputError(
        fmt::format("workers: found beside uneven ranks, which are {}; one of both is accepted",
                    scenario.workers));
  }
  scenario.workers = workers;
  return with_costs_of_source(std::move(scenario));
}

Scenario with_gpus_per_node(Scenario scenario, int gpus) {
  GW_CHECK(gpus >= 1, "a node has a GPU at least");
  refuse_fixed_ranks(scenario, "GPUs a node");
  Cluster& cluster = scenario.cluster;
  if (cluster.topology != nullptr || !cluster.slow_nics.empty() || !cluster.speeds.empty()) {
    throw InputError(fmt::format(
        "GPUs a node: cluster \"{}\" has several switches, slow NICs or GPUs of several speeds, "
        "which name its nodes; one switch of equal nodes is accepted",
        cluster.name));
  }
  if (scenario.conditions.on_links()) {
    throw InputError(
        "GPUs a node: found beside link events or background traffic, which name nodes; one of "
        "both is accepted");
  }
  cluster.nodes = (cluster.gpus() + gpus - 1) / gpus;
  cluster.gpus_per_node = gpus;
  return scenario;
}

Scenario with_bucket_caps(Scenario scenario, BucketCaps caps) {
  scenario.caps = caps;
  return with_costs_of_source(std::move(scenario));
}

Scenario with_accumulation(Scenario scenario, int passes) {
  if (passes == 1) return scenario;
  Workload& workload = scenario.workload.edit();
  repeat_backward(workload, passes);
  mark_derived(workload, fmt::format("{} of them for one exchange", passes));
  return scenario;
}

Scenario without_overlap(Scenario scenario) {
  hold_back_gradients(scenario.workload.edit());
  return scenario;
}

Scenario with_mode(Scenario scenario, CompressionMode mode) {
  Compression& compression = scenario.compression;
  if (compression.timeline && mode == CompressionMode::kOverlapped) {
    throw InputError(
        "mode: overlapped found for recorded kernels of one exchange of all gradients; serial is "
        "accepted");
  }
  compression.mode = mode;
  return with_costs_of_source(std::move(scenario));
}

Scenario with_gradient_dtype(Scenario scenario, DType dtype) {
  if (dtype != DType::kFloat32 && compresses(scenario.compression)) {
    throw InputError(
        fmt::format("dtype: {} found; compressors are modelled for float32", name_of(dtype)));
  }
  for (ReadyGradient& gradient : scenario.workload.edit().gradients) gradient.dtype = dtype;
  return scenario;
}

Scenario with_batch(Scenario scenario, int batch, double fixed_share) {
  const std::optional<std::int64_t> recorded = scenario.workload->batch;
  if (!recorded) {
    throw InputError(fmt::format("batch: that of {}'s times is not known; --recorded-batch says it",
                                 scenario.workload->name));
  }
  scenario.workload = scale_to_batch(scenario.workload, BatchChange{*recorded, batch, fixed_share});
  return scenario;
}

Scenario with_overlap_slowdown(Scenario scenario, double factor) {
  GW_CHECK(factor >= 1.0, "communication slows compute by a factor of 1 or more");
  scenario.overlap_slowdown = factor;
  return scenario;
}

}  // namespace gradwire
