#include "platforms/model/cluster.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/text_proto.hpp"
#include "platforms/model/figure_reader.hpp"
#include "platforms/model/topology_file.hpp"
#include "platforms/schema/cluster.pb.h"

namespace gradwire {
namespace {

/// NICs, and what keeps messages from their rate.
void read_nics(const schema::Cluster& message, FigureReader& reader, Cluster& cluster) {
  cluster.nic = reader.link(message.nic(), "nic");
  cluster.nic_latency_band = reader.latency_band(message.nic(), "nic");
  if (message.has_nics_per_node()) {
    cluster.nics_per_node = reader.count(message.nics_per_node(), "nics_per_node");
  }
  cluster.nic_use = message.nic_use() == schema::BY_GPU ? NicUse::kByGpu : NicUse::kStriped;
  if (message.has_efficiency()) {
    cluster.efficiency = reader.factor(message.efficiency(), "efficiency");
  }
  if (message.has_host_cap()) cluster.host_cap = reader.bandwidth(message.host_cap(), "host_cap");
  if (message.has_flow_cap()) cluster.flow_cap = reader.bandwidth(message.flow_cap(), "flow_cap");
  if (message.has_shaper()) {
    cluster.shaper = Shaper{reader.bandwidth(message.shaper().rate(), "shaper.rate"),
                            reader.bytes(message.shaper().burst(), "shaper.burst")};
  }
}

/// What makes one node differ from the next.
void read_differences(const schema::Cluster& message, FigureReader& reader, Cluster& cluster) {
  for (const schema::SlowNic& slow : message.slow_nic()) {
    if (!slow.has_node()) reader.refuse("slow_nic.node", "is missing; a node from 0 up is needed");
    const std::string field = fmt::format("slow_nic {}.bandwidth_factor", slow.node());
    cluster.slow_nics.push_back({slow.node(), reader.factor(slow.bandwidth_factor(), field)});
  }
  for (const schema::Speed& given : message.speed()) {
    if (given.has_node() == given.has_gpu()) {
      reader.refuse("speed", "one of node and gpu is needed, from 0 up");
    }
    DeviceSpeed speed;
    if (given.has_node()) speed.node = given.node();
    if (given.has_gpu()) speed.gpu = given.gpu();
    const std::string field = given.has_node() ? fmt::format("speed node {}.factor", given.node())
                                               : fmt::format("speed gpu {}.factor", given.gpu());
    speed.factor = reader.factor(given.factor(), field);
    cluster.speeds.push_back(speed);
  }
}

Cluster cluster_of(const schema::Cluster& message) {
  FigureReader reader;
  if (message.name().empty()) reader.refuse("name", "is missing; a name for people is needed");
  Cluster cluster;
  cluster.name = message.name();
  cluster.description = message.description();
  cluster.device = message.device();
  cluster.nodes = reader.count(message.nodes(), "nodes");
  cluster.gpus_per_node = reader.count(message.gpus_per_node(), "gpus_per_node");
  read_nics(message, reader, cluster);
  // A node of one GPU has no link inside.
  if (cluster.gpus_per_node > 1 || message.has_intra()) {
    cluster.intra = reader.link(message.intra(), "intra");
  }
  cluster.topology = read_topology(message, cluster.nodes, reader);
  read_differences(message, reader, cluster);
  cluster.sources = reader.take_sources();
  check_cluster(cluster);
  return cluster;
}

}  // namespace

Cluster parse_cluster(const std::string& text, const std::string& name) {
  schema::Cluster message;
  parse_text_proto(text, name, message);
  try {
    return cluster_of(message);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

Cluster read_cluster(const std::filesystem::path& path) {
  return parse_cluster(read_whole_file(path), path.string());
}

}  // namespace gradwire
