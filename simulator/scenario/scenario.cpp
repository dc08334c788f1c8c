#include "simulator/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"
#include "simulator/collectives/nccl_selection.hpp"
#include "simulator/collectives/placed_schedule.hpp"
#include "simulator/collectives/registry.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<CompressionMode, std::string_view>, 2> kModes = {{
    {CompressionMode::kSerial, "serial"},
    {CompressionMode::kOverlapped, "overlapped"},
}};

void refuse_other_counts(const char* what, std::size_t found, std::size_t buckets) {
  if (found == buckets) return;
  throw InputError(fmt::format(
      "compression {}: of {} buckets found; one for each of the workload's {} is accepted", what,
      found, buckets));
}

void check_bucket_compression(const Scenario& scenario) {
  const Compression& compression = scenario.compression;
  const bool by_bucket = !compression.bucket_schemes.empty();
  if (by_bucket && (compression.scheme || compression.mode != CompressionMode::kOverlapped)) {
    throw InputError(fmt::format(
        "compression schemes by bucket: found {}; they are accepted in overlapped mode and alone",
        compression.scheme ? "beside one for all buckets" : "in serial mode"));
  }
  if (!is_overlapped(scenario)) return;
  const std::size_t buckets = make_buckets(scenario.workload->gradients, scenario.caps).size();
  refuse_other_counts("costs", compression.buckets.size(), buckets);
  if (by_bucket) refuse_other_counts("schemes", compression.bucket_schemes.size(), buckets);
}

std::string_view algorithm_for(const Scenario& scenario, const CollectiveCall& call) {
  if (call.kind == CollectiveKind::kAllGather) return scenario.all_gather;
  if (call.kind != CollectiveKind::kAllReduce) return {};
  if (scenario.all_reduce != "nccl") return scenario.all_reduce;
  const int per_node = scenario.cluster.gpus_per_node;
  const bool full = scenario.workers <= per_node || scenario.workers % per_node == 0;
  if (scenario.workers == 1 || !full) return "ring";
  return nccl_choice(call.kind, call.elements * call.element_size,
                     nccl_job(scenario.cluster, scenario.workers))
      .algorithm;
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
         (!compression.bucket_schemes.empty() ||
          (compression.scheme != nullptr && !compression.scheme->cast_size()));
}

Elements scaled_payload(Elements elements, const Compression& compression) {
  if (compression.payload_factor == 1.0) return elements;
  return Elements{static_cast<std::int64_t>(
      std::ceil(static_cast<double>(elements.count()) * compression.payload_factor))};
}

namespace {

int occupied_nodes(const Scenario& scenario) {
  return scenario.cluster.node_of(scenario.workers - 1) + 1;
}

void check_ring_order(const Scenario& scenario) {
  if (scenario.ring_order.empty()) return;
  std::vector<int> sorted = scenario.ring_order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> ranks(static_cast<std::size_t>(scenario.workers));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (sorted != ranks) {
    throw InputError(
        fmt::format("ring order: {} entries found; each of the ranks 0 to {} once is accepted",
                    scenario.ring_order.size(), scenario.workers - 1));
  }
}

void check_second_job(const Scenario& scenario) {
  if (!scenario.second_job) return;
  const SecondJob& job = *scenario.second_job;
  if (job.payload.count() < 1) {
    throw InputError(fmt::format("second job: a payload of {} bytes found; 1B or more is accepted",
                                 job.payload.count()));
  }
  if (!std::isfinite(job.compute.count()) || job.compute.count() < 0.0) {
    throw InputError(fmt::format("second job: a compute time of {} s found; 0 or more is accepted",
                                 job.compute.count()));
  }
  const auto collective = second_job_collective(scenario);
  if (!collective) return;
  const LinkSpec link = scenario.cluster.across();
  const Seconds turn = job.compute + collective->closed_form(link.latency, link.bandwidth);
  if (turn < kShortestTurn) {
    throw InputError(fmt::format(
        "second job: it would compute and all-reduce every {} s; {} s or more is accepted",
        turn.count(), kShortestTurn.count()));
  }
}

void check_network(const Scenario& scenario) {
  const NetworkConditions& conditions = scenario.conditions;
  check_conditions(conditions, scenario.cluster);
  if (conditions.latency_jitter && scenario.latency_mode == LatencyMode::kOverlapped) {
    throw InputError(
        "latency jitter: found with latency mode overlapped; it is accepted with blocking or mean");
  }
  if (!scenario.cluster.shaper) return;
  const char* beside = !conditions.events.empty()       ? "link events"
                       : !conditions.background.empty() ? "background traffic"
                       : scenario.second_job            ? "a second job"
                                                        : nullptr;
  if (beside == nullptr) return;
  throw InputError(fmt::format(
      "shaper: cluster \"{}\" has one, found with {}, beside which its token buckets are not "
      "modelled; one or the other is accepted",
      scenario.cluster.name, beside));
}

}  // namespace

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
  check_bucket_compression(scenario);
  (void)find_algorithm(CollectiveKind::kAllGather, scenario.all_gather);
  if (scenario.all_reduce != "ring") {
    // Some cannot be made for any number of ranks; the size does not matter.
    (void)schedule_of(scenario, {CollectiveKind::kAllReduce, Elements{1}, Bytes{4}});
  }
  check_ring_order(scenario);
  check_second_job(scenario);
  check_network(scenario);
}

std::shared_ptr<const Schedule> schedule_of(const Scenario& scenario, const CollectiveCall& call) {
  const int per_node = scenario.cluster.gpus_per_node;
  const auto nodes = static_cast<int>(ceil_divide(scenario.workers, per_node));
  auto schedule =
      make_schedule(call, {scenario.workers, per_node, nodes}, algorithm_for(scenario, call));
  if (scenario.ring_order.empty()) return schedule;
  return place_ranks(std::move(schedule), scenario.ring_order);
}

std::shared_ptr<const Schedule> second_job_collective(const Scenario& scenario) {
  const int nodes = occupied_nodes(scenario);
  if (!scenario.second_job || nodes < 2) return nullptr;
  std::vector<int> first_ranks;
  for (int node = 0; node < nodes; ++node) {
    first_ranks.push_back(node * scenario.cluster.gpus_per_node);
  }
  // Elements of one byte: what the job's gradients are made of does not matter.
  const CollectiveCall call{CollectiveKind::kAllReduce,
                            Elements{scenario.second_job->payload.count()}, Bytes{1}};
  return place_ranks(make_schedule(call, nodes), std::move(first_ranks));
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

std::vector<std::vector<Transfer>> bucket_transfers(const Scenario& scenario) {
  const Compression& compression = scenario.compression;
  const std::vector<Bucket> buckets = make_buckets(scenario.workload->gradients, scenario.caps);
  const auto shapes = bucket_shapes(scenario.workload, scenario.caps);
  std::vector<std::vector<Transfer>> result;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Scheme* scheme = compression.bucket_schemes.empty() ? compression.scheme.get()
                                                              : compression.bucket_schemes[i].get();
    if (scheme != nullptr) {
      result.push_back(scheme->transfers(shapes[i]));
    } else {
      result.push_back({{"gradients", CollectiveKind::kAllReduce, buckets[i].elements,
                         element_size(buckets[i].dtype).value()}});
    }
  }
  return result;
}

std::vector<HookExchange> hook_exchanges(const Scenario& scenario) {
  const Workload& workload = *scenario.workload;
  const Compression& compression = scenario.compression;
  if (!is_overlapped(scenario)) {
    return {{workload.backward_span, compression.scheme->transfers(tensor_shapes(workload)),
             compression.encode, Seconds{0}, compression.decode}};
  }
  const std::vector<Bucket> buckets = make_buckets(workload.gradients, scenario.caps);
  std::vector<std::vector<Transfer>> transfers = bucket_transfers(scenario);
  std::vector<HookExchange> exchanges;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const BucketCost& cost = compression.buckets[i];
    exchanges.push_back({buckets[i].ready, std::move(transfers[i]), cost.encode.alone(),
                         cost.between.alone(), cost.decode.alone()});
  }
  return exchanges;
}

Bytes wire_bytes_of(const Scenario& scenario) {
  const Compression& compression = scenario.compression;
  const bool by_bucket =
      compression.mode == CompressionMode::kOverlapped && !compression.scheme->cast_size();
  const std::vector<std::vector<TensorShape>> exchanges =
      by_bucket ? bucket_shapes(scenario.workload, scenario.caps)
                : std::vector<std::vector<TensorShape>>{tensor_shapes(scenario.workload)};
  Bytes bytes{0};
  for (const auto& shapes : exchanges) bytes += wire_bytes(compression.scheme->transfers(shapes));
  return Bytes{std::llround(static_cast<double>(bytes.count()) * compression.payload_factor)};
}

std::vector<double> rank_factors(const Scenario& scenario) {
  std::vector<double> factors = scenario.compute_factors;
  if (scenario.cluster.speeds.empty()) return factors;
  factors.resize(static_cast<std::size_t>(scenario.workers), 1.0);
  for (int rank = 0; rank < scenario.workers; ++rank) {
    factors[static_cast<std::size_t>(rank)] *= scenario.cluster.compute_factor(rank);
  }
  const bool all_one =
      std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1.0; });
  return all_one ? scenario.compute_factors : factors;
}

double slowest_factor(const Scenario& scenario) {
  const std::vector<double> factors = rank_factors(scenario);
  return factors.empty() ? 1.0 : *std::max_element(factors.begin(), factors.end());
}

}  // namespace gradwire
