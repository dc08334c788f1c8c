#pragma once

#include <vector>

#include "platforms/model/cluster.hpp"
#include "simulator/collectives/latency_mode.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// The whole question as one comparable value: this workload, on this cluster, with so many
/// workers.
struct Scenario {
  Workload workload;
  Cluster cluster;
  int workers = 1;  ///< ranks 0 .. workers-1 fill the nodes in order, one a GPU
  BucketCaps caps;
  LatencyMode latency_mode = LatencyMode::kBlocking;
  /// Compute takes this many times as long while the rank communicates; 1 is no slow-down. An entry
  /// of the device's profile.
  double overlap_slowdown = 1.0;
  /// Per rank, its compute takes this many times as long; empty means 1 for all.
  std::vector<double> compute_factors;
};

/// Throws InputError, one sentence naming the field, what was found and what is accepted, when the
/// scenario cannot be played: no workers, more workers than GPUs, an unusable cluster, caps of zero
/// bytes, factors not above zero.
void check_scenario(const Scenario& scenario);

}  // namespace gradwire
