#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

struct LinkSpec {
  BitsPerSecond bandwidth;  ///< each direction
  Seconds latency{0};       ///< of one message from rank to rank

  bool operator==(const LinkSpec&) const = default;
};

/// Between which values a latency that is not sure may lie.
struct LatencyBand {
  Seconds low{0};
  Seconds high{0};

  bool operator==(const LatencyBand&) const = default;
};

/// Where one number of a cluster comes from.
struct SourcedFigure {
  std::string field;     ///< "nic.bandwidth"
  std::string value;     ///< "10Gbps"
  std::string standing;  ///< "published", "assumed", ...
  std::string source;
};

/// A node whose NIC is slower than the others'.
struct SlowNic {
  int node = 0;
  double bandwidth_factor = 1.0;  ///< of nic.bandwidth, both directions; above 0, at most 1

  bool operator==(const SlowNic&) const = default;
};

/// Equal nodes on one switch, or in racks whose trunks lead to one. Every node has one NIC (full
/// duplex) that its GPUs share; GPUs of a node reach each other without it.
struct Cluster {
  std::string name;
  std::string description;
  int nodes = 0;
  int gpus_per_node = 0;
  std::string device;  ///< GPU, empty when unknown
  LinkSpec nic;
  std::optional<LatencyBand> nic_latency_band;  ///< absent when nic.latency is sure
  LinkSpec intra;
  int nodes_per_rack = 0;         ///< nodes fill racks in order; 0 is one switch for all
  double oversubscription = 1.0;  ///< of a rack: what its NICs can send over what its trunk carries
  std::vector<SlowNic> slow_nics;
  std::vector<SourcedFigure> sources;

  int gpus() const { return nodes * gpus_per_node; }
  /// Ranks fill nodes in order.
  int node_of(int rank) const { return rank / gpus_per_node; }
  int rack_of(int node) const { return nodes_per_rack == 0 ? 0 : node / nodes_per_rack; }
  /// Each direction.
  BitsPerSecond nic_bandwidth(int node) const;
  /// Of a rack's trunk, each direction: nodes_per_rack * nic.bandwidth / oversubscription, also for
  /// a last rack that is not full. One fluid link. Meaningless without racks.
  BitsPerSecond trunk_bandwidth() const;
  /// What a message from one rank to another sees when nothing else is on its way: inside a node
  /// `intra`, else the NIC's latency and the slowest of both NICs and, between racks, the trunk.
  LinkSpec link_between(int from, int to) const;
};

/// Reads a cluster from .txtpb. Throws InputError naming file and field: unknown field (line,
/// column), missing or unitless value, zero nodes or bandwidth, a figure without source or
/// standing, racks without oversubscription or the reverse.
Cluster read_cluster(const std::filesystem::path& path);

/// The same for text in memory; `name` stands where the file name would.
Cluster parse_cluster(const std::string& text, const std::string& name);

/// Throws InputError naming the field when `cluster` is not usable (counts below 1, bandwidth not
/// above zero, a rack larger than the cluster, oversubscription below 1, a slow NIC of no node,
/// twice or with a factor outside (0, 1]).
void check_cluster(const Cluster& cluster);

}  // namespace gradwire
