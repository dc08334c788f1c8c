#pragma once

#include <memory>

#include "platforms/model/figure_reader.hpp"
#include "platforms/model/topology.hpp"

namespace gradwire {

namespace schema {
class Cluster;
}

/// The topology of a cluster file; null for one switch. Throws InputError naming the field: more
/// than one topology, racks without oversubscription or the reverse, what the topology itself
/// refuses.
std::shared_ptr<const Topology> read_topology(const schema::Cluster& message, int nodes,
                                              FigureReader& reader);

}  // namespace gradwire
