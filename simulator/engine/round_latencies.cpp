#include "simulator/engine/round_latencies.hpp"

#include <numeric>

namespace gradwire {

std::vector<Seconds> round_latencies(const Plan& plan, std::size_t op, const Cluster& cluster) {
  const Schedule& schedule = *plan.ops[op].collective;
  if (!plan.latency_jitter) return round_latencies(schedule, cluster, plan.latency_mode);
  return round_latencies(schedule, cluster, plan.latency_mode, *plan.latency_jitter, op);
}

std::vector<Seconds> phase_latencies(const Plan& plan, std::size_t op, const Cluster& cluster) {
  const std::vector<Seconds> rounds = round_latencies(plan, op, cluster);
  std::vector<Seconds> sums;
  auto round = rounds.begin();
  for (const Phase& phase : plan.ops[op].collective->phases()) {
    sums.push_back(std::accumulate(round, round + phase.rounds, Seconds{0}));
    round += phase.rounds;
  }
  return sums;
}

}  // namespace gradwire
