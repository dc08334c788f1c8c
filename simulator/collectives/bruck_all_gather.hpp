#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// In round k rank i sends all it has, or the part that is still missing there, to i - 2^k:
/// ceil(log2 n) alpha + (n-1) e s/B for every n (Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS
/// 1997).
std::unique_ptr<Schedule> make_bruck_all_gather(const CollectiveCall& call,
                                                const Participants& who);

}  // namespace gradwire
