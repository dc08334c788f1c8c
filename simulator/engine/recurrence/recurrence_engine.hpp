#pragma once

#include "platforms/model/cluster.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// Plays `plan` op by op and rank by rank: exact for any ranks and any jitter as long as no two
/// messages share a link. Equal ranks on links of one speed, and with overlapped compression on any
/// links, are played as one, with the collectives' closed recurrence: a collective then ends for
/// all ranks when it ends for the last. Throws InputError for compression that
/// is overlapped or replayed kernel by kernel with uneven ranks.
Timeline play_recurrence(const Plan& plan, const Cluster& cluster, const TimelineRequest& request);

/// The same without the short cut for equal ranks, which overlapped compression needs; tests hold
/// the two against each other.
Timeline play_recurrence_rank_by_rank(const Plan& plan, const Cluster& cluster,
                                      const TimelineRequest& request);

/// When `play_recurrence` has the last rank end, without making a timeline.
Seconds recurrence_end(const Plan& plan, const Cluster& cluster);

/// The same for those who ask thousands of times: equal ranks are played as one on links of several
/// speeds too. There it is off by at most what the collectives' last rounds differ between ranks.
Seconds quick_recurrence_end(const Plan& plan, const Cluster& cluster);

}  // namespace gradwire
