#pragma once

#include <memory>
#include <string>

#include "base/dtype.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

// Questions of the form "what if": each takes a scenario to another and leaves all else as it is,
// so that they compose. Where the compressor's costs have a source (CostSource), they follow what
// they depend on: workers, buckets, mode. what_if_text.hpp has them as text.

/// The backward pass takes 1/`factor` of its time, idle gaps included; the host launches as before,
/// at the latest when the device would wait for it. The rest of an iteration becomes unknown.
/// Encode and decode stay. Requires factor > 0.
Scenario with_faster_compute(Scenario scenario, double factor);

/// The backward kernels take 1/`factor` of their time, the gaps between them stay: those of one
/// class (kernel_class.hpp), or all for an empty name. Requires factor > 0. Throws as
/// `scale_kernels`.
Scenario with_faster_kernels(Scenario scenario, double factor,
                             const std::string& kernel_class = {});

/// Encode and decode take 1/`divisor` of their time. Requires divisor > 0.
Scenario with_cheaper_encode(Scenario scenario, double divisor);

/// The same with a divisor for each. What stands between two collectives goes with the encoding.
Scenario with_cheaper_codec(Scenario scenario, double encode_divisor, double decode_divisor);

/// Encode and decode cost what those of `scheme` do; what is sent stays. Nothing changes where
/// nothing is encoded. Throws InputError for a cast, or where the costs come from no profile.
Scenario with_costs_of(Scenario scenario, std::shared_ptr<const Scheme> scheme);

/// Every collective carries `factor` times the elements, rounded up. Requires factor > 0.
Scenario with_payload(Scenario scenario, double factor);

/// Between nodes: another bandwidth, or another latency, which then is sure.
Scenario with_bandwidth(Scenario scenario, BitsPerSecond bandwidth);
Scenario with_latency(Scenario scenario, Seconds latency);

/// Throws InputError for uneven ranks or shuffled rings, which belong to a number of workers;
/// whether the cluster has as many GPUs is for `check_scenario`.
Scenario with_workers(Scenario scenario, int workers);

/// As many GPUs as before at least, on fewer or more nodes. Requires gpus >= 1. Throws InputError
/// where racks, slow NICs or shuffled rings name nodes.
Scenario with_gpus_per_node(Scenario scenario, int gpus);

/// DDP's bucket caps.
Scenario with_bucket_caps(Scenario scenario, BucketCaps caps);

/// Gradients of `passes` backward passes are accumulated before they are exchanged; times are those
/// of all passes. Requires passes >= 1.
Scenario with_accumulation(Scenario scenario, int passes);

/// Nothing is sent before the backward pass has ended.
Scenario without_overlap(Scenario scenario);

/// Compressed after the backward pass or beside it. Throws InputError for recorded kernels beside
/// the backward pass.
Scenario with_mode(Scenario scenario, CompressionMode mode);

/// Gradients of another type; the times of the backward pass stay. Throws InputError where a
/// compressor other than a cast is asked for, which is modelled for float32.
Scenario with_gradient_dtype(Scenario scenario, DType dtype);

/// The backward pass at another batch (`scale_to_batch`). Throws InputError when the workload's own
/// is not known.
Scenario with_batch(Scenario scenario, int batch, double fixed_share = 0.0);

/// Compute takes `factor` times as long while the rank communicates. Requires factor >= 1.
Scenario with_overlap_slowdown(Scenario scenario, double factor);

}  // namespace gradwire
