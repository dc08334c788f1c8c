#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// All-reduce of the whole vector with a partner at distance 1, 2, 4, ...: L (alpha + b/B) with
/// p = 2^L the largest power of two in n, and where n is none two rounds more, one before and one
/// after (Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.5).
std::unique_ptr<Schedule> make_recursive_doubling_all_reduce(const CollectiveCall& call,
                                                             const Participants& who);

/// All-gather in which partners at distance 1, 2, 4, ... exchange all they have: L alpha + (n-1) e
/// s/B for n = 2^L (the same, section 4.1). Otherwise the x = n - 2^L ranks left over hand theirs
/// over first and are sent the n-1 others last:
/// (L+2) alpha + (1 + sum over k < L of (2^k + min(2^k, x)) + n-1) e s/B.
std::unique_ptr<Schedule> make_recursive_doubling_all_gather(const CollectiveCall& call,
                                                             const Participants& who);

}  // namespace gradwire
