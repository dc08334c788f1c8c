#pragma once

#include <cstddef>

namespace gradwire {

/// The inner loops of the ring recurrence, apart so that the compiler may vectorise them for
/// several processors. Rank i's message of a round takes cost[i]; next[i] = max(now[i] + cost[i],
/// now[i-1] + cost[i-1]), ranks in a ring.

/// One round; arrays of n.
void ring_round(const double* now, const double* cost, double* next, std::size_t n);

/// cost[i] = alpha + bytes[i] * seconds_per_byte[i].
void ring_costs(const double* bytes, const double* seconds_per_byte, double alpha, double* cost,
                std::size_t n);

}  // namespace gradwire
