#include "simulator/gloo/gloo_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/errors.hpp"
#include "simulator/gloo/process_group.hpp"

namespace gradwire {
namespace {

void require_playable(const Scenario& scenario) {
  check_scenario(scenario);
  if (scenario.second_job) throw InputError("Gloo: a second job found; none is modelled");
  if (scenario.all_reduce != "ring" || scenario.all_gather != "ring") {
    throw InputError(
        fmt::format("Gloo: all-reduces by {} and all-gathers by {} found; it has rings",
                    scenario.all_reduce, scenario.all_gather));
  }
  if (scenario.cluster.gpus_per_node != 1) {
    throw InputError(
        fmt::format("Gloo: {} GPUs a node found; one is modelled", scenario.cluster.gpus_per_node));
  }
}

/// The thread of a rank that computes and copies. All ranks do the same at the same time, so it has
/// its rank's share of the cores; what the network takes of that share it does not get, but the
/// scheduler is fair and leaves it half.
class RankThread {
 public:
  RankThread(const Scenario& scenario, const GlooHost& host) {
    const double cores_a_rank = static_cast<double>(host.cores) / scenario.workers;
    const double network = host.wire * scenario.cluster.across().bandwidth.bytes_per_second();
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

/// The slowest rank makes the pace: a ring waits for it in every round, so all end with it.
double play_buckets(const Scenario& scenario, const GlooHost& host, bool cast) {
  const Workload& workload = *scenario.workload;
  const std::vector<Bucket> buckets = make_buckets(workload.gradients, scenario.caps);
  const double factor = slowest_factor(scenario);
  const double work_a_byte = host.make + host.copy_in + (cast ? host.cast_in : 0.0);
  GlooProcessGroup group(scenario, host);
  const RankThread rank(scenario, host);
  double thread = 0.0;
  double done = 0.0;  // of the backward pass
  for (const Bucket& bucket : buckets) {
    const bool network_is_busy = thread > 0.0;
    for (const std::size_t gradient : bucket.gradients) {
      const double ready = std::max(done, workload.gradients[gradient].ready.count() * factor);
      // A device goes on while the thread copies; a thread that computes itself does not.
      thread = host.on_device ? std::max(thread, ready) : thread + ready - done;
      thread += rank.seconds(
          static_cast<double>(workload.gradients[gradient].bytes().count()) * work_a_byte,
          network_is_busy);
      done = ready;
    }
    GlooStages stages =
        all_reduce_stages(scaled_payload(bucket.elements, scenario.compression),
                          cast ? Bytes{2} : element_size(bucket.dtype).value(), scenario, host);
    if (cast) stages.back().processor = static_cast<double>(bucket.bytes().count()) * host.cast_out;
    group.add(thread, stages);
  }
  group.play();
  const double span = workload.backward_span.count() * factor;
  thread = host.on_device ? std::max(thread, span) : thread + span - done;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto bytes = static_cast<double>(buckets[i].bytes().count());
    // Copied while later buckets are on their way, or with nothing left to send.
    thread = std::max(thread, group.end_of(i));
    thread += rank.seconds(bytes * host.copy_out, i + 1 < buckets.size());
  }
  return thread;
}

/// Encoding stands in the compute stream; transfers run one after the other; what follows a
/// transfer runs on a side stream and disturbs nobody.
double play_hook(const Scenario& scenario, const GlooHost& host) {
  const double factor = slowest_factor(scenario);
  const auto gradients = static_cast<double>(scenario.workload->total_bytes().count());
  const double making = is_overlapped(scenario)
                            ? 0.0
                            : RankThread(scenario, host).seconds(gradients * host.make, false);
  double encoding = 0.0;
  double network = 0.0;
  double side = 0.0;
  for (const HookExchange& exchange : hook_exchanges(scenario)) {
    encoding += exchange.encode.count() * factor;
    double now = (exchange.ready.count() + making) * factor + encoding;
    for (std::size_t i = 0; i < exchange.transfers.size(); ++i) {
      if (i > 0 && i + 1 == exchange.transfers.size()) {
        now = side = std::max(side, now) + exchange.between.count() * factor;
      }
      const Transfer& transfer = exchange.transfers[i];
      const Elements elements = scaled_payload(transfer.elements, scenario.compression);
      GlooProcessGroup group(scenario, host);
      group.add(std::max(network, now),
                transfer.kind == CollectiveKind::kAllReduce
                    ? all_reduce_stages(elements, transfer.element_size, scenario, host)
                    : all_gather_stages(elements, transfer.element_size, scenario, host));
      group.play();
      now = network = group.end_of(0);
    }
    side = std::max(side, now) + exchange.decode.count() * factor;
  }
  return side;
}

/// All that a scheme sends travels by all-reduce or all-gather.
void require_known_collectives(const Scenario& scenario) {
  for (const Transfer& transfer :
       scenario.compression.scheme->transfers(tensor_shapes(*scenario.workload))) {
    if (transfer.kind == CollectiveKind::kAllReduce ||
        transfer.kind == CollectiveKind::kAllGather) {
      continue;
    }
    throw InputError(
        fmt::format("Gloo: {} sends its {} by a collective other than all-reduce and all-gather, "
                    "which alone are modelled",
                    scenario.compression.scheme->spelling(), transfer.what));
  }
}

}  // namespace

Seconds estimate_gloo(const Scenario& scenario, const GlooHost& host) {
  require_playable(scenario);
  if (scenario.workers == 1) return scenario.workload->backward_span * slowest_factor(scenario);
  const Scheme* scheme = scenario.compression.scheme.get();
  const std::optional<Bytes> cast = scheme != nullptr ? scheme->cast_size() : std::nullopt;
  if (scheme == nullptr || cast) return Seconds{play_buckets(scenario, host, cast.has_value())};
  require_known_collectives(scenario);
  return Seconds{play_hook(scenario, host)};
}

}  // namespace gradwire
