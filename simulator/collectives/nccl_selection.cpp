#include "simulator/collectives/nccl_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/errors.hpp"

namespace gradwire {
namespace {

// All tables: src/graph/tuning.cc of NVIDIA/nccl at b6475625, microseconds and GB/s; by protocol
// LL, LL128, Simple.
using ByProtocol = std::array<double, 3>;

enum Algorithm { kTree, kRing };
constexpr std::array<Algorithm, 2> kAlgorithms = {kTree, kRing};

constexpr std::array<ByProtocol, 2> kBaseLatency = {{{6.8, 14.0, 0.0}, {6.6, 14.0, 8.4}}};

enum Hardware { kNvlink, kPcie, kNetwork };
/// Of one step, by hardware and algorithm.
constexpr std::array<std::array<ByProtocol, 2>, 3> kStepLatency = {{
    {{{0.6, 1.25, 28.0}, {0.6, 1.9, 3.4}}},
    {{{1.0, 1.9, 28.0}, {1.0, 2.5, 5.7}}},
    {{{5.0, 8.5, 28.0}, {2.7, 4.0, 14.0}}},
}};

/// By GPU generation where there is one node, by processor (Intel, AMD) otherwise; 1, 2, 4 nodes.
constexpr std::array<std::array<double, 3>, 3> kMostLl = {
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}}};
/// Of a channel, by GPU generation; 1, 2, 4 nodes.
constexpr std::array<std::array<double, 3>, 3> kMostRingLl128 = {
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}}};
constexpr std::array<std::array<double, 3>, 3> kMostTreeLl128 = {
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}}};
constexpr std::array<std::array<double, 3>, 3> kMostTree = {
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}}};

/// What of its bandwidth a tree reaches at powers of two from 64 B to 256 MB.
constexpr std::array<std::array<double, 23>, 3> kTreeCorrection = {{
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7,  .7,  .7,  .6, .5,
     .4,  .4,  .5,  .6,  .7, .8, .9, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7,  .6, .6,
     .6,  .6,  .6,  .6,  .8,  .9, .9, .9, .9, 1.0, 1.0},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

std::size_t index_of(NcclProtocol protocol) { return static_cast<std::size_t>(protocol); }

/// One function of NCCL on one job.
class TuningModel {
 public:
  TuningModel(CollectiveKind kind, const NcclJob& job) : kind_(kind), job_(job) {}

  bool has(Algorithm algorithm, NcclProtocol protocol) const {
    if (protocol == NcclProtocol::kLl128 && !job_.ll128) return false;
    return algorithm == kRing || kind_ == CollectiveKind::kAllReduce;
  }

  /// Algorithm bandwidth in GB/s.
  double bandwidth(Algorithm algorithm, NcclProtocol protocol) const {
    const double all = job_.bandwidth.bytes_per_second() * 1e-9;
    const auto generation = static_cast<std::size_t>(job_.generation);
    const std::size_t processor = job_.amd_processor ? 1 : 0;
    const double most_ll = kMostLl[job_.nodes == 1 ? generation : processor][by_nodes()];
    if (algorithm == kRing) {
      double bus = all;
      if (protocol == NcclProtocol::kLl) {
        const bool quarter = job_.nodes > 1 || kind_ == CollectiveKind::kAllReduce ||
                             kind_ == CollectiveKind::kReduce;
        bus = std::min(most_ll, bus / (quarter ? 4.0 : 3.0));
      } else if (protocol == NcclProtocol::kLl128) {
        bus = std::min(bus * (job_.ranks < 2 * job_.nodes ? 0.7 : 0.92),
                       job_.channels * kMostRingLl128[generation][by_nodes()]);
      }
      return bus * job_.ranks / steps();
    }
    double bus = std::min(all * 0.92, job_.channels * kMostTree[generation][by_nodes()]);
    if (protocol == NcclProtocol::kLl) {
      bus = std::min(bus / 3.8, most_ll);
    } else if (protocol == NcclProtocol::kLl128) {
      bus = std::min(bus * (job_.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                     job_.channels * kMostTreeLl128[generation][by_nodes()]);
    }
    return bus * 0.5;
  }

  /// In microseconds.
  double latency(Algorithm algorithm, NcclProtocol protocol) const {
    const std::size_t p = index_of(protocol);
    const Hardware inside = job_.nvlink ? kNvlink : kPcie;
    const double base = kBaseLatency[algorithm][p];
    const double step_inside = kStepLatency[inside][algorithm][p];
    const double step_across = kStepLatency[kNetwork][algorithm][p];
    if (algorithm == kTree) {
      const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(job_.nodes))) - 1;
      const int inside_steps = job_.ranks / job_.nodes - 1;
      return base + 2 * (inside_steps * step_inside + levels * step_across);
    }
    if (kind_ == CollectiveKind::kBroadcast || kind_ == CollectiveKind::kReduce) {
      return base + (job_.nodes == 1 ? step_inside : step_across);
    }
    const int across = job_.nodes == 1                       ? 0
                       : kind_ == CollectiveKind::kAllReduce ? 2 * job_.nodes
                                                             : job_.nodes - 1;
    double posting = 0.0;  // what the network costs each step of a ring, crossing it or not
    if (job_.nodes > 1) {
      posting = (job_.amd_processor ? 2.0 : 1.0) * (protocol == NcclProtocol::kSimple ? 3.0 : 1.0);
    }
    return base + (steps() - across) * std::max(step_inside, posting) + across * step_across;
  }

  NcclPrediction predict(Algorithm algorithm, NcclProtocol protocol, Bytes size) const {
    double gigabytes = bandwidth(algorithm, protocol);
    double microseconds = latency(algorithm, protocol);
    const auto units = static_cast<std::uint64_t>(size.count()) >> 6;
    const std::size_t power = units == 0 ? 0 : static_cast<std::size_t>(std::bit_width(units)) - 1;
    const auto& correction = kTreeCorrection[index_of(protocol)];
    if (algorithm == kTree && power < correction.size()) gigabytes *= correction[power];
    const bool plateau = algorithm == kRing && protocol == NcclProtocol::kSimple &&
                         job_.nodes > 1 && kind_ == CollectiveKind::kAllReduce &&
                         size.count() / (std::int64_t{job_.channels} * job_.ranks) >= 64;
    if (plateau) microseconds *= job_.generation == GpuGeneration::kVolta ? 1.9 : 1.4;
    NcclPrediction prediction;
    prediction.algorithm = registered_name(algorithm);
    prediction.protocol = protocol;
    prediction.latency = Seconds{microseconds * 1e-6};
    prediction.bandwidth = BitsPerSecond::from_bytes_per_second(gigabytes * 1e9);
    prediction.time = prediction.latency + size / prediction.bandwidth;
    return prediction;
  }

 private:
  std::size_t by_nodes() const {
    return job_.nodes <= 2 ? static_cast<std::size_t>(job_.nodes - 1) : 2;
  }

  int steps() const {
    if (kind_ == CollectiveKind::kAllReduce) return 2 * (job_.ranks - 1);
    const bool rooted = kind_ == CollectiveKind::kBroadcast || kind_ == CollectiveKind::kReduce;
    return rooted ? job_.ranks : job_.ranks - 1;
  }

  /// A ring that starts or ends at a root is a chain.
  std::string_view registered_name(Algorithm algorithm) const {
    if (algorithm == kTree) return "double_tree";
    const bool rooted = kind_ == CollectiveKind::kBroadcast || kind_ == CollectiveKind::kReduce;
    return rooted ? "chain" : "ring";
  }

  CollectiveKind kind_;
  const NcclJob& job_;
};

}  // namespace

std::string_view name_of(NcclProtocol protocol) {
  constexpr std::array<std::string_view, 3> kNames = {"LL", "LL128", "Simple"};
  return kNames[index_of(protocol)];
}

double wire_efficiency(NcclProtocol protocol) {
  constexpr ByProtocol kEfficiency = {0.5, 120.0 / 128.0, 1.0};
  return kEfficiency[index_of(protocol)];
}

GpuGeneration gpu_generation_from_name(std::string_view name) {
  if (name == "volta") return GpuGeneration::kVolta;
  if (name == "ampere") return GpuGeneration::kAmpere;
  if (name == "hopper") return GpuGeneration::kHopper;
  throw InputError(
      fmt::format("GPU generation: \"{}\" found; accepted: volta, ampere, hopper", name));
}

NcclJob nccl_job(const Cluster& cluster, int ranks) {
  NcclJob job;
  job.ranks = ranks;
  job.nodes = static_cast<int>(ceil_divide(ranks, cluster.gpus_per_node));
  job.bandwidth = job.nodes > 1 ? cluster.across().bandwidth : cluster.intra.bandwidth;
  if (cluster.device == "V100") job.generation = GpuGeneration::kVolta;
  if (cluster.device == "H100" || cluster.device == "H200") job.generation = GpuGeneration::kHopper;
  return job;
}

std::vector<NcclPrediction> nccl_predictions(CollectiveKind kind, Bytes size, const NcclJob& job) {
  GW_CHECK(job.ranks >= 2 && job.nodes >= 1 && job.ranks >= job.nodes && job.channels >= 1,
           "NCCL's model is about two ranks or more");
  if (kind == CollectiveKind::kAllToAll || kind == CollectiveKind::kSendReceive ||
      kind == CollectiveKind::kOpaque) {
    throw InputError(fmt::format(
        "algorithm nccl: NCCL sends {} message by message and chooses nothing; accepted: "
        "all_reduce, all_gather, reduce_scatter, broadcast, reduce",
        name_of(kind)));
  }
  const TuningModel model(kind, job);
  std::vector<NcclPrediction> predictions;
  for (const Algorithm algorithm : kAlgorithms) {
    for (const NcclProtocol protocol :
         {NcclProtocol::kLl, NcclProtocol::kLl128, NcclProtocol::kSimple}) {
      if (!model.has(algorithm, protocol)) continue;
      predictions.push_back(model.predict(algorithm, protocol, size));
    }
  }
  return predictions;
}

NcclPrediction nccl_choice(CollectiveKind kind, Bytes size, const NcclJob& job) {
  const std::vector<NcclPrediction> predictions = nccl_predictions(kind, size, job);
  return *std::min_element(
      predictions.begin(), predictions.end(),
      [](const NcclPrediction& a, const NcclPrediction& b) { return a.time < b.time; });
}

}  // namespace gradwire
