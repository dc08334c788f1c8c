#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Reduce-scatter in which partners half the ranks apart, then a quarter, ... exchange the half
/// that the other keeps: L alpha + (n-1)/n b/B for n = 2^L; rank i ends with the sum of chunk i
/// (Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.3). Otherwise p = 2^L is the largest
/// power of two in n: the n - p ranks left over hand in their vectors first and are sent their
/// chunks last, and core member m keeps the chunks of the ranks that it stands for. With f(k) the
/// elements of the chunks of the first k members: [alpha + e s/B +] sum over k < L of (alpha +
/// f(2^k) s/B)
/// [+ alpha + ceil(e/n) s/B].
std::unique_ptr<Schedule> make_recursive_halving_reduce_scatter(const CollectiveCall& call,
                                                                const Participants& who);

}  // namespace gradwire
