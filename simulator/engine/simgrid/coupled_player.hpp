#pragma once

#include "platforms/model/cluster.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// Plays a plan with one flow a collective phase over all links that the phase crosses, latencies
/// paid first. A collective begins when its last rank arrives: exact on links of one speed; on a
/// ring of slow and fast links messages elsewhere would have gone ahead, by a round or a few. With
/// `collapse` identical links (same speed, crossed alike by every flow) are played by one of them.
/// The plan's second job and background traffic run beside it, its link events happen. A shaped
/// cluster is refused (InputError) where messages share links. For a process of its own: SimGrid
/// allows one engine a process. Throws IncompleteError naming what did not end, or the link that
/// failed for good and the collective that needed it.
Timeline play_coupled(const Plan& plan, const Cluster& cluster, const TimelineRequest& request,
                      bool collapse);

}  // namespace gradwire
