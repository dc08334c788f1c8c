#include "simulator/collectives/latency_mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<LatencyMode, std::string_view>, 3> kNames = {{
    {LatencyMode::kBlocking, "blocking"},
    {LatencyMode::kOverlapped, "overlapped"},
    {LatencyMode::kMean, "mean"},
}};

}  // namespace

std::string_view name_of(LatencyMode mode) {
  for (const auto& [known, name] : kNames) {
    if (known == mode) return name;
  }
  return "unknown";
}

LatencyMode latency_mode_from_name(std::string_view name) {
  for (const auto& [mode, known] : kNames) {
    if (known == name) return mode;
  }
  throw InputError(
      fmt::format("\"{}\" is no latency mode; accepted: blocking, overlapped, mean", name));
}

PhaseCost phase_cost(const Phase& phase, Bytes element_size, const Cluster& cluster,
                     LatencyMode mode) {
  GW_CHECK(!phase.edges.empty() && phase.rounds > 0, "a phase moves something");
  const LinkSpec first = cluster.link_between(phase.edges.front().from, phase.edges.front().to);
  const double edges = static_cast<double>(phase.edges.size());
  const double bytes = static_cast<double>((phase.elements_per_round * element_size).count());
  LinkSpec slowest = first;
  Seconds largest{0};
  Seconds latency_sum{0};
  double transfer_sum = 0.0;
  for (const Edge& edge : phase.edges) {
    const LinkSpec link = cluster.link_between(edge.from, edge.to);
    if (link.bandwidth < slowest.bandwidth) slowest = link;
    largest = std::max(largest, link.latency);
    latency_sum += link.latency;
    transfer_sum += bytes * link.bandwidth.seconds_per_byte();
  }
  PhaseCost cost{largest, slowest.bandwidth};
  if (mode == LatencyMode::kMean) cost.latency_per_round = latency_sum / edges;
  if (mode == LatencyMode::kOverlapped) {
    const Seconds transfer{bytes * slowest.bandwidth.seconds_per_byte()};
    const Seconds around = (Seconds{transfer_sum} + latency_sum) / edges - transfer;
    cost.latency_per_round = std::max(slowest.latency / static_cast<double>(phase.rounds), around);
  }
  return cost;
}

RoundLatencies round_latencies(const Schedule& schedule, const Cluster& cluster, LatencyMode mode) {
  RoundLatencies latencies;
  latencies.rounds.reserve(static_cast<std::size_t>(schedule.rounds()));
  for (const Phase& phase : schedule.phases()) {
    const PhaseCost cost = phase_cost(phase, schedule.call().element_size, cluster, mode);
    latencies.rounds.insert(latencies.rounds.end(), static_cast<std::size_t>(phase.rounds),
                            cost.latency_per_round);
    latencies.sum += cost.latency(phase);
  }
  return latencies;
}

}  // namespace gradwire
