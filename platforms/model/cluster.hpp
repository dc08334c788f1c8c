#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "platforms/model/topology.hpp"

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

/// How the GPUs of a node use its NICs when it has several.
enum class NicUse {
  kStriped,  ///< every message is cut over all of them, as NCCL's channels do
  kByGpu,    ///< GPU g has NIC g * nics_per_node / gpus_per_node
};

/// A GPU, or all of a node, that computes slower or faster than the others.
struct DeviceSpeed {
  std::optional<int> node;  ///< one of both
  std::optional<int> gpu;   ///< numbered through the cluster: its rank
  double factor = 1.0;      ///< of the others' speed; above 0

  bool operator==(const DeviceSpeed&) const = default;
};

/// A token bucket on the outward side of every NIC, as `tc tbf` is one: after a pause so many bytes
/// leave at the NIC's own rate, the rest at `rate`.
struct Shaper {
  BitsPerSecond rate;
  Bytes burst{0};

  bool operator==(const Shaper&) const = default;
};

/// Nodes of equal make on a network. The GPUs of a node share its NICs (full duplex) and reach each
/// other without them.
struct Cluster {
  std::string name;
  std::string description;
  int nodes = 0;
  int gpus_per_node = 0;
  std::string device;                           ///< GPU, empty when unknown
  LinkSpec nic;                                 ///< one of them
  std::optional<LatencyBand> nic_latency_band;  ///< absent when nic.latency is sure
  LinkSpec intra;
  int nics_per_node = 1;
  NicUse nic_use = NicUse::kStriped;
  /// What is left to payload of the rate of NICs and of links between switches; above 0, at most 1.
  double efficiency = 1.0;
  std::optional<BitsPerSecond> host_cap;     ///< what a node's network stack moves, each direction
  std::optional<BitsPerSecond> flow_cap;     ///< of one message between nodes
  std::shared_ptr<const Topology> topology;  ///< null: all NICs on one switch
  std::vector<SlowNic> slow_nics;
  std::vector<DeviceSpeed> speeds;
  std::optional<Shaper> shaper;
  std::vector<SourcedFigure> sources;

  int gpus() const { return nodes * gpus_per_node; }
  /// Ranks fill nodes in order.
  int node_of(int rank) const { return rank / gpus_per_node; }
  /// NICs of a node as far as messages tell them apart: one where every message is cut over all.
  int nics_apart() const { return nic_use == NicUse::kByGpu ? nics_per_node : 1; }
  /// How many NICs act as one of these.
  int nics_together() const { return nics_per_node / nics_apart(); }
  /// Of these, numbered node by node, the one that `rank` sends and receives by.
  int nic_of(int rank) const {
    const int gpu = rank % gpus_per_node;
    return node_of(rank) * nics_apart() + gpu * nics_apart() / gpus_per_node;
  }
  /// Payload rate, each direction, of all of a node's NICs together, or of one of them if they are
  /// used by GPU.
  BitsPerSecond nic_bandwidth(int node) const;
  /// The same of a node whose NICs are not slow.
  BitsPerSecond whole_nic_bandwidth() const;
  /// Payload rate of a link between switches, each direction. Requires a topology.
  BitsPerSecond trunk_bandwidth(int link) const;
  /// What a message between two nodes of one switch sees, slow NICs apart.
  LinkSpec across() const;
  /// What a message from one rank to another sees when nothing else is on its way: inside a node
  /// `intra`, else the NIC's latency and those on the way, and the slowest of both NICs, stacks and
  /// the links between them, or the flow cap.
  LinkSpec link_between(int from, int to) const;
  /// How many times as long as elsewhere a rank's compute takes.
  double compute_factor(int rank) const;
};

/// Reads a cluster from .txtpb. Throws InputError naming file and field: unknown field (line,
/// column), missing or unitless value, zero nodes or bandwidth, a figure without source or
/// standing, racks without oversubscription or the reverse.
Cluster read_cluster(const std::filesystem::path& path);

/// The same for text in memory; `name` stands where the file name would.
Cluster parse_cluster(const std::string& text, const std::string& name);

/// Throws InputError naming the field when `cluster` is not usable (counts below 1, bandwidth not
/// above zero, a topology of other nodes, a slow NIC of no node, twice or with a factor outside
/// (0, 1], a speed of nobody or not above zero, an efficiency outside (0, 1], a cap or rate not
/// above zero).
void check_cluster(const Cluster& cluster);

}  // namespace gradwire
