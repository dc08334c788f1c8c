#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_value.hpp"
#include "compressors/cost/bucket_cost.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/spec/scheme.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/collectives/latency_mode.hpp"
#include "simulator/collectives/schedule.hpp"
#include "simulator/scenario/network_conditions.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/compressor_timeline.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// When gradients are compressed.
enum class CompressionMode {
  kSerial,      ///< all of them after the whole backward pass, as the study models it
  kOverlapped,  ///< each of DDP's buckets when it is full, by a hook beside the backward pass
};

/// "serial", "overlapped".
std::string_view name_of(CompressionMode mode);

/// Throws InputError listing the modes when `name` is none.
CompressionMode compression_mode_from_name(std::string_view name);

/// What overlapping costs; each can be left out to see what it costs.
struct OverlapCosts {
  bool host = true;          ///< the thread that runs the hooks launches the backward pass later
  bool stream_order = true;  ///< a bucket's encoding stands in front of the backward kernels
  bool device_share = true;  ///< what follows a transfer runs beside them and takes half the device
};

/// Where encode and decode times come from, so that they follow when a question changes the
/// workers, the buckets or the mode.
struct CostSource {
  std::shared_ptr<const CostProfile> profile;  ///< null for times that a user gave
  CostChoice choice = CostChoice::kStandard;
  std::shared_ptr<const Scheme> priced_as{};  ///< costs of this scheme for the compression's own
  Seconds given_encode{0};  ///< without a profile: of all gradients in one exchange
  Seconds given_decode{0};
  double encode_factor = 1.0;  ///< on what the above say: a question, no property of a scheme
  double decode_factor = 1.0;
};

/// How gradients are compressed. Without a scheme they travel in their own type.
///
/// A cast (fp16, bf16) keeps DDP's buckets and their overlap with the backward pass in both modes;
/// the casts themselves count as nothing.
struct Compression {
  std::shared_ptr<const Scheme> scheme;  ///< null for none
  Seconds encode{0};  ///< all gradients in one exchange: what serial compression takes
  Seconds decode{0};  ///< the same; for this scenario's count of workers
  /// Every collective, without a scheme too, carries so many times the elements: a question, no
  /// property of a scheme.
  double payload_factor = 1.0;
  /// Recorded kernels instead of the two times above, which then are what these take alone; serial
  /// only. Null for none.
  std::shared_ptr<const CompressorTimeline> timeline{};
  CompressionMode mode = CompressionMode::kSerial;
  std::vector<BucketCost> buckets{};  ///< what overlapped compression takes, by DDP bucket
  OverlapCosts overlap_costs{};       ///< of overlapped compression
  /// Of the times above; absent where they stand for themselves whatever else is asked.
  std::optional<CostSource> source{};
  /// Overlapped only, and instead of `scheme`: one a DDP bucket, null for DDP's own all-reduce,
  /// which `buckets` then gives no cost. Empty for the same scheme everywhere. Such costs have no
  /// source.
  std::vector<std::shared_ptr<const Scheme>> bucket_schemes{};
};

/// A foreign data-parallel job on the nodes that this one's ranks occupy, one rank a node. From
/// time 0 on, again and again, it computes for `compute` and then all-reduces `payload` around the
/// ring of those nodes in order. On one node it disturbs nobody.
struct SecondJob {
  Bytes payload{0};    ///< the vector that is all-reduced, of one rank
  Seconds compute{0};  ///< 0 for a job that always communicates

  bool operator==(const SecondJob&) const = default;
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
  /// Per rank, its compute takes this many times as long, beside what the cluster's speeds say;
  /// empty means 1 for all.
  std::vector<double> compute_factors;
  Compression compression;
  /// The rank at each position of the collectives' rings and chains, every rank once; empty for
  /// ranks in order (ring_order.hpp).
  std::vector<int> ring_order;
  std::string all_gather = "ring";  ///< algorithm of every all-gather, as the registry names it
  /// The same of every all-reduce, or "nccl" for what NCCL would take for its size: a double tree
  /// or a ring, the ring where the last node is not full. A parameter server has one server a node.
  std::string all_reduce = "ring";
  std::optional<SecondJob> second_job;  ///< shares the links
  NetworkConditions conditions;         ///< what happens on the network meanwhile
};

/// Whether `scenario` compresses its buckets beside the backward pass: in that mode, with a scheme
/// that is no cast or with schemes by bucket, among several workers.
bool is_overlapped(const Scenario& scenario);

/// The shapes of the workload's gradients, in gradient-ready order, as schemes take them. Throws
/// InputError when a gradient has no shape (only its element count is known).
std::vector<TensorShape> tensor_shapes(const Workload& workload);

/// The same by DDP bucket, in launch order.
std::vector<std::vector<TensorShape>> bucket_shapes(const Workload& workload,
                                                    const BucketCaps& caps);

/// What each DDP bucket's hook sends, in launch order. Of overlapped compression. Throws as
/// `tensor_shapes`.
std::vector<std::vector<Transfer>> bucket_transfers(const Scenario& scenario);

/// What a hook exchanges at once and the work on it, with nothing beside it.
struct HookExchange {
  Seconds ready{0};  ///< by the workload's own times, for a rank of factor 1
  std::vector<Transfer> transfers;
  Seconds encode{0};
  Seconds between{0};  ///< in front of the last of several transfers
  Seconds decode{0};
};

/// Of a scheme that is no cast. Serial: all gradients after the backward pass. Overlapped: each
/// bucket when it is full, in launch order. Throws as `tensor_shapes`.
std::vector<HookExchange> hook_exchanges(const Scenario& scenario);

/// What one rank's compressor makes of all its gradients under the payload factor, before its
/// collectives multiply it. Of a cast, DDP's buckets in the cast's type. Requires a scheme.
Bytes wire_bytes_of(const Scenario& scenario);

/// How many times as long each rank's compute takes, by `compute_factors` and by the speeds of the
/// cluster's GPUs; empty when it is once for all.
std::vector<double> rank_factors(const Scenario& scenario);

/// The largest of `rank_factors`; 1 for equal ranks.
double slowest_factor(const Scenario& scenario);

/// `elements` of a collective under the scenario's payload factor, rounded up.
Elements scaled_payload(Elements elements, const Compression& compression);

/// The shortest that one compute and all-reduce of a second job may take on idle links, so that a
/// simulation has an end.
inline constexpr Seconds kShortestTurn{10e-6};

/// The schedule that the scenario's ranks play for `call`: its algorithm, on its ring.
std::shared_ptr<const Schedule> schedule_of(const Scenario& scenario, const CollectiveCall& call);

/// The second job's all-reduce, between the first ranks of the nodes; null without a second job or
/// where the ranks occupy one node.
std::shared_ptr<const Schedule> second_job_collective(const Scenario& scenario);

/// Throws InputError, one sentence naming the field, what was found and what is accepted, when the
/// scenario cannot be played: no workers, more workers than GPUs, an unusable cluster, caps of zero
/// bytes, factors not above zero, costs or schemes of other buckets than the workload's, schemes by
/// bucket beside one for all or in serial mode, a ring order that is none, an unknown all-gather, a
/// second job without payload or whose turns come faster than kShortestTurn, what
/// `check_conditions` refuses, latency jitter in overlapped latency mode, a shaped cluster with
/// link events, background traffic or a second job.
void check_scenario(const Scenario& scenario);

}  // namespace gradwire
