#pragma once

#include "platforms/model/cluster.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Whether messages of one round of `schedule` slow each other on some link of `cluster`: a link
/// that cannot carry all the messages that cross it as fast as each would go alone. Where none does
/// the closed forms hold.
bool shares_links(const Schedule& schedule, const Cluster& cluster);

}  // namespace gradwire
