#include "platforms/model/topology_file.hpp"

#include <fmt/format.h>

#include "platforms/model/fat_tree.hpp"
#include "platforms/schema/cluster.pb.h"

namespace gradwire {
namespace {

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

}  // namespace

std::shared_ptr<const Topology> read_topology(const schema::Cluster& message, int nodes,
                                              FigureReader& reader) {
  const bool in_racks = message.has_nodes_per_rack() || message.has_oversubscription();
  const bool in_levels = message.fat_tree_level_size() > 0;
  if (in_racks && in_levels) {
    reader.refuse("fat_tree_level", "found beside nodes_per_rack; one topology is accepted");
  }
  if (!in_racks && !in_levels) {
    if (message.has_hop_latency()) {
      reader.refuse("hop_latency", "found on one switch, which has no links between switches");
    }
    return nullptr;
  }
  const std::vector<FatTreeLevel> levels =
      in_racks ? rack_level(message, nodes, reader) : fat_tree_levels(message, reader);
  return std::make_shared<FatTree>(nodes, levels, hop_latency_of(message, reader));
}

}  // namespace gradwire
