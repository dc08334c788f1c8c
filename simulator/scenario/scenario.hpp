#pragma once

#include <memory>
#include <vector>

#include "base/shared_value.hpp"
#include "compressors/spec/scheme.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/collectives/latency_mode.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// How gradients are compressed. Without a scheme they travel in their own type.
///
/// A cast (fp16, bf16) keeps DDP's buckets and their overlap with the backward pass; the casts
/// themselves count as nothing. Every other scheme encodes all gradients after the whole backward
/// pass, exchanges them, and decodes, as the study models it.
struct Compression {
  std::shared_ptr<const Scheme> scheme;  ///< null for none
  Seconds encode{0};                     ///< on the device, all gradients
  Seconds decode{0};                     ///< the same; for this scenario's count of workers
  /// Every collective, without a scheme too, carries so many times the elements: a question, no
  /// property of a scheme.
  double payload_factor = 1.0;
};

/// The whole question as one comparable value: this workload, on this cluster, with so many
/// workers.
struct Scenario {
  SharedValue<Workload> workload;
  Cluster cluster;
  int workers = 1;  ///< ranks 0 .. workers-1 fill the nodes in order, one a GPU
  BucketCaps caps;
  LatencyMode latency_mode = LatencyMode::kBlocking;
  /// Compute takes this many times as long while the rank communicates; 1 is no slow-down. An entry
  /// of the device's profile.
  double overlap_slowdown = 1.0;
  /// Per rank, its compute takes this many times as long; empty means 1 for all.
  std::vector<double> compute_factors;
  Compression compression;
};

/// The shapes of the workload's gradients, in gradient-ready order, as schemes take them. Throws
/// InputError when a gradient has no shape (only its element count is known).
std::vector<TensorShape> tensor_shapes(const Workload& workload);

/// `elements` of a collective under the scenario's payload factor, rounded up.
Elements scaled_payload(Elements elements, const Compression& compression);

/// Throws InputError, one sentence naming the field, what was found and what is accepted, when the
/// scenario cannot be played: no workers, more workers than GPUs, an unusable cluster, caps of zero
/// bytes, factors not above zero.
void check_scenario(const Scenario& scenario);

}  // namespace gradwire
