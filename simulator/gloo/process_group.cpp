#include "simulator/gloo/process_group.hpp"

#include <algorithm>
#include <limits>

#include "simulator/gloo/gloo_ring.hpp"

namespace gradwire {
namespace {

constexpr double kRounding = 1e-12;

/// Of a pass: a ring has one latency a round.
double pass_latency(const Scenario& scenario) {
  return (scenario.workers - 1) * scenario.cluster.nic.latency.count();
}

}  // namespace

GlooStages all_reduce_stages(Elements elements, Bytes size, const Scenario& scenario,
                             const GlooHost& host) {
  const auto bytes = static_cast<double>(
      gloo_bytes_a_pass(elements, size, scenario.workers, host.segment).count());
  const double addition = size.count() == 2 ? host.reduce_float16 : host.reduce;
  const double latency = pass_latency(scenario);
  return {{{0.0, 0.0, latency},
           {bytes, bytes * (host.wire + addition)},
           {0.0, 0.0, latency},
           {bytes, bytes * host.wire}}};
}

GlooStages all_gather_stages(Elements elements, Bytes size, const Scenario& scenario,
                             const GlooHost& host) {
  const auto block = static_cast<double>((elements * size).count());
  const int others = scenario.workers - 1;
  // Two ranks have one connection. Whoever is there first begins to send, and its notice that it is
  // ready to receive stands behind its own first half (gloo/transport/tcp/pair.h), for which the
  // other's waits.
  const double bytes = (others == 1 ? 1.5 : others) * block;
  return {{{0.0, 0.0, pass_latency(scenario)},
           {bytes, bytes * host.wire},
           {0.0, scenario.workers * block * host.copy_out}}};
}

GlooProcessGroup::GlooProcessGroup(const Scenario& scenario, const GlooHost& host)
    : at_once_(static_cast<std::size_t>(host.collectives_at_once)),
      bytes_per_second_(scenario.cluster.across().bandwidth.bytes_per_second()),
      cores_a_rank_(static_cast<double>(host.cores) / scenario.workers) {}

void GlooProcessGroup::play() {
  double now = 0.0;
  std::vector<Job*> running;
  std::size_t next = 0;
  while (next < jobs_.size() || !running.empty()) {
    while (next < jobs_.size() && running.size() < at_once_ && jobs_[next].arrival <= now) {
      running.push_back(&jobs_[next++]);
    }
    double step = std::numeric_limits<double>::infinity();
    if (next < jobs_.size() && running.size() < at_once_) step = jobs_[next].arrival - now;
    for (const Job* job : running) {
      step = std::min(step, (1.0 - job->share_done) * duration(*job, running));
    }
    // All rates are those of before the step.
    std::vector<double> durations;
    for (const Job* job : running) durations.push_back(duration(*job, running));
    for (std::size_t i = 0; i < running.size(); ++i) {
      running[i]->share_done += durations[i] > 0.0 ? step / durations[i] : 1.0;
    }
    now += step;
    for (Job* job : running) {
      if (job->share_done < 1.0 - kRounding) continue;
      job->share_done = 0.0;
      if (++job->stage == job->stages.size()) job->end = now;
    }
    std::erase_if(running, [](const Job* job) { return job->stage == job->stages.size(); });
  }
}

/// What the stage would take if the company stayed as it is.
double GlooProcessGroup::duration(const Job& job, const std::vector<Job*>& running) const {
  const GlooStage& stage = job.stages[job.stage];
  const auto on_link =
      static_cast<double>(std::count_if(running.begin(), running.end(), [](const Job* other) {
        return other->stages[other->stage].bytes > 0.0;
      }));
  const double core_share = std::min(1.0, cores_a_rank_ / static_cast<double>(running.size()));
  return stage.latency +
         std::max(stage.bytes * on_link / bytes_per_second_, stage.processor / core_share);
}

}  // namespace gradwire
