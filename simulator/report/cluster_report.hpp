#pragma once

#include <iosfwd>
#include <vector>

#include "platforms/model/cluster.hpp"
#include "simulator/questions/network_facts.hpp"

namespace gradwire {

/// The clusters as a table: nodes, GPUs, device, NIC rate of a node, topology.
void write_clusters_text(const std::vector<Cluster>& clusters, std::ostream& out);

/// As one JSON object: `clusters`.
void write_clusters_json(const std::vector<Cluster>& clusters, std::ostream& out);

/// Every figure with its standing and source, then what follows from them, labelled derived.
void write_cluster_text(const Cluster& cluster, const NetworkFacts& facts, std::ostream& out);
void write_cluster_json(const Cluster& cluster, const NetworkFacts& facts, std::ostream& out);

}  // namespace gradwire
