#pragma once

#include <vector>

#include "base/units.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// A stretch of time in which a link carries bytes, at their average rate.
struct LinkBusy {
  Seconds start{0};
  Seconds end{0};
  BitsPerSecond rate;  ///< of the plan's own collectives; never above the link's capacity
};

/// One direction of a link over time.
struct LinkUse {
  enum class Link {
    kNic,    ///< of a node, which its GPUs share
    kInner,  ///< of a rank to the others of its node
  };
  enum class Direction { kOut, kIn };

  Link link = Link::kNic;
  Direction direction = Direction::kOut;
  int owner = 0;  ///< the node of a NIC, the rank of an inner link
  BitsPerSecond capacity;
  std::vector<LinkBusy> busy;  ///< by start, apart from each other
};

/// What the collectives of a played plan put on the NICs of the nodes and on the inner links of the
/// ranks that `timeline` holds; links that carry nothing are left out. A collective's bytes count
/// evenly over the time in which all ranks take part in it; where a rank that came early has sent
/// some of them before, over as much more time in front as the link needs. Foreign jobs are not
/// counted. Sorted by link, owner, direction.
std::vector<LinkUse> link_use_of(const Plan& plan, const Cluster& cluster,
                                 const Timeline& timeline);

}  // namespace gradwire
