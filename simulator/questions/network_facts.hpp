#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/model/cluster.hpp"

namespace gradwire {

/// One message between two nodes while nothing else is on its way.
struct MessageFacts {
  int from = 0;  ///< nodes
  int to = 0;
  int hops = 0;   ///< links between switches
  LinkSpec seen;  ///< payload rate and latency, from rank to rank
  std::optional<LatencyBand> latency_band;
};

/// Every GPU sends one message to another at the same time.
struct ShiftFacts {
  BitsPerSecond per_gpu;   ///< payload rate of the slowest message when all share links equally
  std::string bound_by;    ///< for people: the link that sets it, or the flow cap
  int messages_there = 1;  ///< that share that link
};

struct RingFacts {
  Bytes bytes{0};
  int ranks = 0;
  Seconds alpha{0};         ///< a round's: the largest latency of the ring
  BitsPerSecond bandwidth;  ///< a round's: the slowest link's, shared among its messages
  std::string bound_by;
  Seconds time{0};
  BitsPerSecond algorithm_bandwidth;  ///< as nccl-tests define both
  BitsPerSecond bus_bandwidth;
};

/// What follows from a cluster's figures by arithmetic; nothing of it was measured. A shaper is not
/// in it.
struct NetworkFacts {
  std::optional<MessageFacts> near;  ///< on one switch; absent where no switch has two nodes
  std::optional<MessageFacts> far;   ///< most hops, of those the slowest; absent on one switch
  bool far_of_all = true;  ///< else of the ways from node 0's switch alone, on networks of many
  /// Each GPU to the same one of the node half the cluster away: what the network carries from half
  /// to half along its routes. Absent with one node.
  std::optional<ShiftFacts> half_shift;
  std::optional<RingFacts> ring;  ///< all-reduce in rank order over all GPUs; absent with one
};

/// `bytes`: of the ring all-reduce, float32.
NetworkFacts make_network_facts(const Cluster& cluster, Bytes bytes);

}  // namespace gradwire
