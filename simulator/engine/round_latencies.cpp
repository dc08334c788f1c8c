#include "simulator/engine/round_latencies.hpp"

#include <numeric>

namespace gradwire {

RoundLatencies round_latencies(const Plan& plan, std::size_t op, const Cluster& cluster) {
  return round_latencies(*plan.ops[op].collective, cluster, plan.latency_mode, plan.latency_jitter,
                         op);
}

std::vector<Seconds> phase_latencies(const Plan& plan, std::size_t op, const Cluster& cluster) {
  const RoundLatencies latencies = round_latencies(plan, op, cluster);
  std::vector<Seconds> sums;
  auto round = latencies.rounds.begin();
  for (const Phase& phase : plan.ops[op].collective->phases()) {
    sums.push_back(std::accumulate(round, round + phase.rounds, Seconds{0}));
    round += phase.rounds;
  }
  return sums;
}

}  // namespace gradwire
