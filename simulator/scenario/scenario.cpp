#include "simulator/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<CompressionMode, std::string_view>, 2> kModes = {{
    {CompressionMode::kSerial, "serial"},
    {CompressionMode::kOverlapped, "overlapped"},
}};

void check_bucket_costs(const Scenario& scenario) {
  if (!is_overlapped(scenario)) return;
  const std::size_t costs = scenario.compression.buckets.size();
  const std::size_t buckets = make_buckets(scenario.workload->gradients, scenario.caps).size();
  if (costs != buckets) {
    throw InputError(
        fmt::format("compression costs: of {} buckets found; one for each of the workload's {} is "
                    "accepted",
                    costs, buckets));
  }
}

}  // namespace

std::string_view name_of(CompressionMode mode) {
  for (const auto& [known, name] : kModes) {
    if (known == mode) return name;
  }
  return "unknown";
}

CompressionMode compression_mode_from_name(std::string_view name) {
  for (const auto& [mode, known] : kModes) {
    if (known == name) return mode;
  }
  throw InputError(
      fmt::format("compression mode: \"{}\" found; accepted: serial, overlapped", name));
}

bool is_overlapped(const Scenario& scenario) {
  const Compression& compression = scenario.compression;
  return scenario.workers > 1 && compression.mode == CompressionMode::kOverlapped &&
         compression.scheme != nullptr && !compression.scheme->cast_size();
}

Elements scaled_payload(Elements elements, const Compression& compression) {
  if (compression.payload_factor == 1.0) return elements;
  return Elements{static_cast<std::int64_t>(
      std::ceil(static_cast<double>(elements.count()) * compression.payload_factor))};
}

void check_scenario(const Scenario& scenario) {
  check_cluster(scenario.cluster);
  const int gpus = scenario.cluster.gpus();
  if (scenario.workers < 1 || scenario.workers > gpus) {
    throw InputError(fmt::format(
        "workers: {} found; cluster \"{}\" has {} GPUs ({} nodes x {}), so 1 to {} is accepted",
        scenario.workers, scenario.cluster.name, gpus, scenario.cluster.nodes,
        scenario.cluster.gpus_per_node, gpus));
  }
  if (scenario.caps.first.count() < 1 || scenario.caps.rest.count() < 1) {
    throw InputError(fmt::format("bucket cap: {} bytes found; 1B or more is accepted",
                                 std::min(scenario.caps.first, scenario.caps.rest).count()));
  }
  if (!std::isfinite(scenario.overlap_slowdown) || scenario.overlap_slowdown < 1.0) {
    throw InputError(fmt::format("overlap slow-down: {} found; a factor of 1 or more is accepted",
                                 scenario.overlap_slowdown));
  }
  const auto& factors = scenario.compute_factors;
  if (!factors.empty() && factors.size() != static_cast<std::size_t>(scenario.workers)) {
    throw InputError(
        fmt::format("compute factors: {} found; one for each of {} workers is accepted",
                    factors.size(), scenario.workers));
  }
  for (const double factor : factors) {
    if (!std::isfinite(factor) || factor <= 0.0) {
      throw InputError(fmt::format("compute factor: {} found; more than 0 is accepted", factor));
    }
  }
  check_bucket_costs(scenario);
}

std::vector<TensorShape> tensor_shapes(const Workload& workload) {
  std::vector<TensorShape> shapes;
  for (const ReadyGradient& gradient : workload.gradients) {
    if (gradient.shape.empty() && gradient.elements.count() != 1) {
      throw InputError(fmt::format(
          "{}: gradient {} has {} elements but no shape; compressors need shapes: record with "
          "record_shapes=True or supply them with --parameters names-shapes.csv",
          workload.name, shapes.size(), gradient.elements.count()));
    }
    shapes.push_back({gradient.shape});
  }
  return shapes;
}

std::vector<std::vector<TensorShape>> bucket_shapes(const Workload& workload,
                                                    const BucketCaps& caps) {
  const std::vector<TensorShape> all = tensor_shapes(workload);
  std::vector<std::vector<TensorShape>> result;
  for (const Bucket& bucket : make_buckets(workload.gradients, caps)) {
    std::vector<TensorShape>& shapes = result.emplace_back();
    for (const std::size_t gradient : bucket.gradients) shapes.push_back(all[gradient]);
  }
  return result;
}

}  // namespace gradwire
