#pragma once

#include "base/units.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// How the latency of a round counts when the edges of a round differ.
enum class LatencyMode {
  kBlocking,    ///< every message of a round pays the largest latency of the collective's edges
                ///< (default)
  kOverlapped,  ///< a sender is free once its bytes are out; the latency delays the receiver alone
  kMean,        ///< every message pays the mean latency of the edges
};

/// "blocking", "overlapped", "mean".
std::string_view name_of(LatencyMode mode);

/// Throws InputError listing the modes when `name` is none.
LatencyMode latency_mode_from_name(std::string_view name);

/// What one phase of a collective costs on a cluster, reduced to one number each.
struct PhaseCost {
  Seconds latency_per_round{0};
  BitsPerSecond slowest;  ///< bandwidth of the slowest edge

  /// Time of the whole phase and the share of latency in it.
  Seconds latency(const Phase& phase) const { return phase.rounds * latency_per_round; }
  Seconds total(const Phase& phase, Bytes element_size) const {
    return latency(phase) + phase.elements * element_size / slowest;
  }
};

/// Exact for kBlocking and kMean where no link is shared. For kOverlapped the asymptotic rate of
/// the ring (the slowest edge alone, or the mean over all edges of transfer and latency, whichever
/// is larger): approximate for few rounds.
PhaseCost phase_cost(const Phase& phase, Bytes element_size, const Cluster& cluster,
                     LatencyMode mode);

/// What messages pay for latency.
struct RoundLatencies {
  std::vector<Seconds> rounds;  ///< of each round
  Seconds sum{0};
};

/// What a message of each round pays for latency: its phase's `phase_cost`.
RoundLatencies round_latencies(const Schedule& schedule, const Cluster& cluster, LatencyMode mode);

}  // namespace gradwire
