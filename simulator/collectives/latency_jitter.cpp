#include "simulator/collectives/latency_jitter.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {
namespace {

// Set in the index of these draws and of no other, so that one seed may serve several purposes.
constexpr std::uint64_t kLatency = std::uint64_t{1} << 63;

Seconds round_latency(const std::vector<Edge>& edges, const std::vector<Seconds>& latencies,
                      LatencyMode mode, const LatencyJitter& jitter, std::size_t op, int round) {
  Seconds largest{0};
  Seconds sum{0};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Seconds drawn = latencies[i] * latency_factor(jitter, op, round, edges[i]);
    largest = std::max(largest, drawn);
    sum += drawn;
  }
  return mode == LatencyMode::kMean ? sum / static_cast<double>(edges.size()) : largest;
}

}  // namespace

double latency_factor(const LatencyJitter& jitter, std::size_t op, int round, const Edge& edge) {
  if (jitter.sigma == 0.0) return 1.0;
  const std::uint64_t index =
      kLatency | static_cast<std::uint64_t>(round) << 32 | static_cast<std::uint32_t>(edge.from);
  const auto bits =
      random_bits(own_key(jitter.seed, edge.to), static_cast<std::uint32_t>(op), index);
  return std::exp(jitter.sigma * random_normal(bits));
}

RoundLatencies round_latencies(const Schedule& schedule, const Cluster& cluster, LatencyMode mode,
                               const std::optional<LatencyJitter>& jitter, std::size_t op) {
  if (!jitter) return round_latencies(schedule, cluster, mode);
  if (mode == LatencyMode::kOverlapped) {
    throw InputError(
        "latency jitter: found with latency mode overlapped; it is accepted with blocking or mean");
  }
  RoundLatencies result;
  for (const Phase& phase : schedule.phases()) {
    std::vector<Seconds> latencies;
    for (const Edge& edge : phase.edges) {
      latencies.push_back(cluster.link_between(edge.from, edge.to).latency);
    }
    for (int round = 0; round < phase.rounds; ++round) {
      const auto number = static_cast<int>(result.rounds.size());
      result.rounds.push_back(round_latency(phase.edges, latencies, mode, *jitter, op, number));
      result.sum += result.rounds.back();
    }
  }
  return result;
}

LatencyJitter of_sample(const LatencyJitter& jitter, int sample) {
  return {jitter.sigma,
          random_bits(shared_key(jitter.seed), static_cast<std::uint32_t>(sample), kLatency)[0]};
}

}  // namespace gradwire
