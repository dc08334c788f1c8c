#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/collectives/latency_mode.hpp"

namespace gradwire {

/// How the latency of messages varies: each takes its link's latency times a lognormal factor of
/// median 1, independent of all others.
struct LatencyJitter {
  double sigma = 0.0;  ///< of the factor's logarithm; 0 or more
  std::uint64_t seed = 1;

  bool operator==(const LatencyJitter&) const = default;
};

/// The factor of the message that `edge` carries in `round` of a plan's op `op`: a function of
/// these and the seed alone, so that every engine draws the same one.
double latency_factor(const LatencyJitter& jitter, std::size_t op, int round, const Edge& edge);

/// What a message of each round pays for latency: without jitter as `round_latencies` has it. With
/// jitter every edge of the round's phase draws, whether or not the round has a message for it.
/// kBlocking: the largest of them; kMean: their mean; with a sigma of 0 what `round_latencies`
/// without jitter gives. Throws InputError for kOverlapped.
RoundLatencies round_latencies(const Schedule& schedule, const Cluster& cluster, LatencyMode mode,
                               const std::optional<LatencyJitter>& jitter, std::size_t op);

/// The jitter of another iteration: as independent of the first's as another seed makes it.
LatencyJitter of_sample(const LatencyJitter& jitter, int sample);

}  // namespace gradwire
