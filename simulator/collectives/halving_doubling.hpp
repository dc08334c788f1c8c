#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// All-reduce by recursive halving of the vector (reduce-scatter) and recursive doubling back
/// (all-gather): Rabenseifner's algorithm (Thakur, Rabenseifner and Gropp, IJHPCA 2005, section
/// 4.5). p = 2^L is the largest power of two in n, q = floor(e/p), r = e mod p:
/// 2 sum over k < L of (alpha + (2^k q + min(2^k, r)) s/B), which is 2 L alpha + 2 (p-1)/p b/B
/// where p divides e; where n is no power of two one round of the whole vector before and one
/// after.
std::unique_ptr<Schedule> make_halving_doubling_all_reduce(const CollectiveCall& call,
                                                           const Participants& who);

}  // namespace gradwire
