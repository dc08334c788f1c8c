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

/// Equal nodes on one switch. Every node has one NIC (full duplex) that its GPUs share; GPUs of a
/// node reach each other without it.
struct Cluster {
  std::string name;
  std::string description;
  int nodes = 0;
  int gpus_per_node = 0;
  std::string device;  ///< GPU, empty when unknown
  LinkSpec nic;
  std::optional<LatencyBand> nic_latency_band;  ///< absent when nic.latency is sure
  LinkSpec intra;
  std::vector<SourcedFigure> sources;

  int gpus() const { return nodes * gpus_per_node; }
  /// Ranks fill nodes in order.
  int node_of(int rank) const { return rank / gpus_per_node; }
  /// The link that a message from one rank to another crosses: the NICs, or the link inside the
  /// node.
  const LinkSpec& link_between(int from, int to) const {
    return node_of(from) == node_of(to) ? intra : nic;
  }
};

/// Reads a cluster from .txtpb. Throws InputError naming file and field: unknown field (line,
/// column), missing or unitless value, zero nodes or bandwidth, a figure without source or
/// standing.
Cluster read_cluster(const std::filesystem::path& path);

/// The same for text in memory; `name` stands where the file name would.
Cluster parse_cluster(const std::string& text, const std::string& name);

/// Throws InputError naming the field when `cluster` is not usable (counts below 1, bandwidth not
/// above zero).
void check_cluster(const Cluster& cluster);

}  // namespace gradwire
