#include "platforms/model/topology_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/model/dragonfly.hpp"
#include "platforms/model/fat_tree.hpp"
#include "platforms/model/switch_graph.hpp"
#include "platforms/model/torus.hpp"
#include "platforms/schema/cluster.pb.h"

namespace gradwire {
namespace {

constexpr int kMostNodes = 1'000'000;  // whose switches are written down one by one

Seconds hop_latency_of(const schema::Cluster& message, FigureReader& reader) {
  return message.has_hop_latency() ? reader.duration(message.hop_latency(), "hop_latency")
                                   : Seconds{0};
}

std::vector<FatTreeLevel> rack_level(const schema::Cluster& message, int nodes,
                                     FigureReader& reader) {
  FatTreeLevel level;
  level.children = reader.count(message.nodes_per_rack(), "nodes_per_rack");
  if (level.children < 1 || level.children > nodes) {
    reader.refuse("nodes_per_rack",
                  fmt::format("{} found; 1 to {} is accepted, or none for one switch",
                              level.children, nodes));
  }
  level.oversubscription = reader.factor(message.oversubscription(), "oversubscription");
  if (!(level.oversubscription >= 1.0)) {
    reader.refuse("oversubscription", fmt::format("{} found; a factor of 1 or more is accepted",
                                                  level.oversubscription));
  }
  return {level};
}

std::vector<FatTreeLevel> fat_tree_levels(const schema::Cluster& message, FigureReader& reader) {
  std::vector<FatTreeLevel> levels;
  for (const schema::FatTreeLevel& given : message.fat_tree_level()) {
    const std::string field = fmt::format("fat_tree_level {}", levels.size() + 1);
    FatTreeLevel level;
    level.children = reader.count(given.children(), field + ".children");
    level.oversubscription = reader.factor(given.oversubscription(), field + ".oversubscription");
    if (given.has_links()) level.links = reader.count(given.links(), field + ".links");
    levels.push_back(level);
  }
  return levels;
}

std::shared_ptr<const Topology> read_fat_tree(const schema::Cluster& message, int nodes,
                                              FigureReader& reader) {
  const bool in_racks = message.fat_tree_level_size() == 0;
  const std::vector<FatTreeLevel> levels =
      in_racks ? rack_level(message, nodes, reader) : fat_tree_levels(message, reader);
  return std::make_shared<FatTree>(nodes, levels, hop_latency_of(message, reader));
}

std::shared_ptr<const Topology> read_dragonfly(const schema::Cluster& message,
                                               FigureReader& reader) {
  const schema::Dragonfly& given = message.dragonfly();
  DragonflyShape shape;
  shape.groups = reader.count(given.groups(), "dragonfly.groups");
  shape.routers = reader.count(given.routers(), "dragonfly.routers");
  shape.nodes_per_router = reader.count(given.nodes_per_router(), "dragonfly.nodes_per_router");
  if (shape.routers > 1 || given.has_local_bandwidth()) {
    shape.local_bandwidth = reader.bandwidth(given.local_bandwidth(), "dragonfly.local_bandwidth");
  }
  if (shape.groups > 1 || given.has_global_bandwidth()) {
    shape.global_bandwidth =
        reader.bandwidth(given.global_bandwidth(), "dragonfly.global_bandwidth");
  }
  if (given.has_global_links()) {
    shape.global_links = reader.count(given.global_links(), "dragonfly.global_links");
  }
  shape.latency = hop_latency_of(message, reader);
  return std::make_shared<Dragonfly>(shape);
}

std::shared_ptr<const Topology> read_torus(const schema::Cluster& message, FigureReader& reader) {
  std::vector<int> sizes;
  for (const schema::Figure& size : message.torus().size()) {
    sizes.push_back(reader.count(size, fmt::format("torus.size {}", sizes.size() + 1)));
  }
  const BitsPerSecond bandwidth = reader.bandwidth(message.torus().bandwidth(), "torus.bandwidth");
  return std::make_shared<Torus>(sizes, bandwidth, hop_latency_of(message, reader));
}

std::shared_ptr<const Topology> read_graph(const schema::Cluster& message, int nodes,
                                           FigureReader& reader) {
  if (nodes < 1 || nodes > kMostNodes) {
    reader.refuse("nodes", fmt::format("{} found; 1 to {} is accepted", nodes, kMostNodes));
  }
  const Seconds hop_latency = hop_latency_of(message, reader);
  std::vector<Cable> cables;
  for (const schema::GraphLink& link : message.graph().link()) {
    const std::string field = fmt::format("graph.link {}", cables.size() + 1);
    cables.push_back(
        {link.from(), link.to(), reader.bandwidth(link.bandwidth(), field + ".bandwidth"),
         link.has_latency() ? reader.duration(link.latency(), field + ".latency") : hop_latency});
  }
  std::vector<std::string> switch_of_node;
  for (const schema::GraphNode& node : message.graph().node()) {
    // Not given and 0 are the same in the file.
    const int count = node.count() == 0 ? 1 : node.count();
    const auto found = static_cast<std::int64_t>(switch_of_node.size()) + count;
    if (count < 0 || found > nodes) {
      reader.refuse("graph.node",
                    fmt::format("{} nodes on \"{}\", {} in all; {} are accepted, as in nodes",
                                count, node.on(), found, nodes));
    }
    switch_of_node.insert(switch_of_node.end(), static_cast<std::size_t>(count), node.on());
  }
  if (static_cast<int>(switch_of_node.size()) != nodes) {
    reader.refuse("graph.node", fmt::format("places for {} nodes found; {} are needed, as in nodes",
                                            switch_of_node.size(), nodes));
  }
  return std::make_shared<SwitchGraph>(cables, switch_of_node);
}

/// The field that gives the topology; empty for one switch.
std::string_view topology_field(const schema::Cluster& message, const FigureReader& reader) {
  const std::array<std::pair<std::string_view, bool>, 5> kinds = {{
      {"nodes_per_rack", message.has_nodes_per_rack() || message.has_oversubscription()},
      {"fat_tree_level", message.fat_tree_level_size() > 0},
      {"dragonfly", message.has_dragonfly()},
      {"torus", message.has_torus()},
      {"graph", message.has_graph()},
  }};
  std::string_view field;
  for (const auto& [kind, found] : kinds) {
    if (found && !field.empty()) {
      reader.refuse(std::string{kind},
                    fmt::format("found beside {}; one topology is accepted", field));
    }
    if (found) field = kind;
  }
  return field;
}

}  // namespace

std::shared_ptr<const Topology> read_topology(const schema::Cluster& message, int nodes,
                                              FigureReader& reader) {
  const std::string_view field = topology_field(message, reader);
  if (field == "dragonfly") return read_dragonfly(message, reader);
  if (field == "torus") return read_torus(message, reader);
  if (field == "graph") return read_graph(message, nodes, reader);
  if (!field.empty()) return read_fat_tree(message, nodes, reader);
  if (message.has_hop_latency()) {
    reader.refuse("hop_latency", "found on one switch, which has no links between switches");
  }
  return nullptr;
}

}  // namespace gradwire
