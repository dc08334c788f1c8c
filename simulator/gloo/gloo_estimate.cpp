#include "simulator/gloo/gloo_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/errors.hpp"
#include "simulator/gloo/gloo_ring.hpp"

namespace gradwire {
namespace {

/// A part of an all-reduce: bytes over the link beside work of the cores, as long as the slower.
struct Stage {
  double bytes = 0.0;
  double processor = 0.0;  // seconds of one core
  double latency = 0.0;    // before all else
};

/// An all-reduce as the process group runs it: reduce-scatter, all-gather, what follows in its
/// thread.
using Stages = std::array<Stage, 3>;

Stages stages_of(Elements elements, Bytes size, const Scenario& scenario, const GlooHost& host) {
  const auto bytes = static_cast<double>(
      gloo_bytes_a_pass(elements, size, scenario.workers, host.segment).count());
  const double addition = size.count() == 2 ? host.reduce_float16 : host.reduce;
  const double latency = scenario.cluster.nic.latency.count();
  return {{{bytes, bytes * (host.wire + addition), latency}, {bytes, bytes * host.wire, latency}}};
}

/// Collectives in order of their arrival, so many at once, sharing link and cores evenly.
class ProcessGroup {
 public:
  ProcessGroup(const Scenario& scenario, const GlooHost& host)
      : at_once_(static_cast<std::size_t>(host.collectives_at_once)),
        bytes_per_second_(scenario.cluster.nic.bandwidth.bytes_per_second()),
        cores_a_rank_(static_cast<double>(host.cores) / scenario.workers) {}

  /// Arrivals must not descend.
  void add(double arrival, const Stages& stages) { jobs_.push_back({arrival, stages, 0, 0.0}); }

  /// Plays all; afterwards `end_of` knows each one's end.
  void play() {
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
      for (Job* job : running) end_stage_if_done(*job, now);
      std::erase_if(running, [](const Job* job) { return job->stage == job->stages.size(); });
    }
  }

  double end_of(std::size_t job) const { return jobs_[job].end; }

 private:
  struct Job {
    double arrival = 0.0;
    Stages stages;
    std::size_t stage = 0;
    double share_done = 0.0;  // of the stage
    double end = 0.0;
  };

  /// What the stage would take if the company stayed as it is.
  double duration(const Job& job, const std::vector<Job*>& running) const {
    const Stage& stage = job.stages[job.stage];
    const auto on_link =
        static_cast<double>(std::count_if(running.begin(), running.end(), [](const Job* other) {
          return other->stages[other->stage].bytes > 0.0;
        }));
    const double core_share = std::min(1.0, cores_a_rank_ / static_cast<double>(running.size()));
    return stage.latency +
           std::max(stage.bytes * on_link / bytes_per_second_, stage.processor / core_share);
  }

  static void end_stage_if_done(Job& job, double now) {
    constexpr double kRounding = 1e-12;
    if (job.share_done < 1.0 - kRounding) return;
    job.share_done = 0.0;
    if (++job.stage == job.stages.size()) job.end = now;
  }

  std::size_t at_once_;
  double bytes_per_second_;
  double cores_a_rank_;
  std::vector<Job> jobs_;
};

void require_playable(const Scenario& scenario) {
  check_scenario(scenario);
  if (scenario.cluster.gpus_per_node != 1) {
    throw InputError(
        fmt::format("Gloo: {} GPUs a node found; one is modelled", scenario.cluster.gpus_per_node));
  }
  const auto& factors = scenario.compute_factors;
  if (std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1.0; })) {
    throw InputError("Gloo: uneven compute factors found; equal ranks are modelled");
  }
}

/// The thread of a rank that computes and copies. All ranks do the same at the same time, so it has
/// its rank's share of the cores; what the network takes of that share it does not get, but the
/// scheduler is fair and leaves it half.
class RankThread {
 public:
  RankThread(const Scenario& scenario, const GlooHost& host) {
    const double cores_a_rank = static_cast<double>(host.cores) / scenario.workers;
    const double network = host.wire * scenario.cluster.nic.bandwidth.bytes_per_second();
    alone_ = std::min(1.0, cores_a_rank);
    beside_network_ = std::min(1.0, std::max(cores_a_rank - network, cores_a_rank / 2.0));
  }

  /// Seconds that work of `processor` seconds of a core takes.
  double seconds(double processor, bool network_is_busy) const {
    return processor / (network_is_busy ? beside_network_ : alone_);
  }

 private:
  double alone_ = 1.0;
  double beside_network_ = 1.0;
};

double play_buckets(const Scenario& scenario, const GlooHost& host, bool cast) {
  const std::vector<Bucket> buckets = make_buckets(scenario.workload->gradients, scenario.caps);
  ProcessGroup group(scenario, host);
  const RankThread rank(scenario, host);
  double thread = 0.0;
  double done = 0.0;  // of the backward pass
  for (const Bucket& bucket : buckets) {
    const double ready = std::max(done, bucket.ready.count());
    const auto bytes = static_cast<double>(bucket.bytes().count());
    const double work = bytes * (host.make + host.copy_in + (cast ? host.cast_in : 0.0));
    thread += ready - done + rank.seconds(work, thread > 0.0);
    done = ready;
    Stages stages = stages_of(scaled_payload(bucket.elements, scenario.compression),
                              cast ? Bytes{2} : element_size(bucket.dtype).value(), scenario, host);
    if (cast) stages[2].processor = bytes * host.cast_out;
    group.add(thread, stages);
  }
  group.play();
  thread += scenario.workload->backward_span.count() - done;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto bytes = static_cast<double>(buckets[i].bytes().count());
    // Copied while later buckets are on their way, or with nothing left to send.
    thread = std::max(thread, group.end_of(i));
    thread += rank.seconds(bytes * host.copy_out, i + 1 < buckets.size());
  }
  return thread;
}

double play_serial(const Scenario& scenario, const GlooHost& host) {
  const Compression& compression = scenario.compression;
  const auto gradients = static_cast<double>(scenario.workload->total_bytes().count());
  double now = scenario.workload->backward_span.count() +
               RankThread(scenario, host).seconds(gradients * host.make, false) +
               compression.encode.count();
  for (const Transfer& transfer : compression.scheme->transfers(tensor_shapes(scenario.workload))) {
    if (transfer.kind != CollectiveKind::kAllReduce) {
      throw InputError(
          fmt::format("Gloo: {} sends its {} by another collective than all-reduce, "
                      "which alone is modelled",
                      compression.scheme->spelling(), transfer.what));
    }
    ProcessGroup group(scenario, host);
    group.add(now, stages_of(scaled_payload(transfer.elements, compression), transfer.element_size,
                             scenario, host));
    group.play();
    now = group.end_of(0);
  }
  return now + compression.decode.count();
}

}  // namespace

Seconds estimate_gloo(const Scenario& scenario, const GlooHost& host) {
  require_playable(scenario);
  if (scenario.workers == 1) return scenario.workload->backward_span;
  const Scheme* scheme = scenario.compression.scheme.get();
  const std::optional<Bytes> cast = scheme != nullptr ? scheme->cast_size() : std::nullopt;
  if (scheme == nullptr || cast) return Seconds{play_buckets(scenario, host, cast.has_value())};
  return Seconds{play_serial(scenario, host)};
}

}  // namespace gradwire
