#pragma once

#include <memory>
#include <vector>

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// `schedule` played by other ranks: what rank i does there, rank `rank_at[i]` does here. Rounds,
/// sizes and closed forms stay; messages, edges and `sent_by` name the new ranks. It is a ring no
/// longer for engines that count on i -> i+1. `rank_at` has one rank for each of the schedule's,
/// all different (GW_CHECK); it may leave ranks out.
std::shared_ptr<const Schedule> place_ranks(std::shared_ptr<const Schedule> schedule,
                                            std::vector<int> rank_at);

}  // namespace gradwire
