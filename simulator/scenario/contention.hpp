#pragma once

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// Whether messages share links, so that formula and recurrence do not hold and SimGrid alone
/// answers: a second job on several nodes, or a collective whose messages of a round slow each
/// other (a trunk that does not carry all that cross it, a NIC that several GPUs use at once).
/// Likewise with link events or background traffic.
/// Never for rings in rank order, slow NICs or not. Throws as `check_scenario` and `tensor_shapes`.
bool links_are_shared(const Scenario& scenario);

/// Throws InputError saying so when `links_are_shared`.
void check_unshared(const Scenario& scenario);

/// Whether the formula holds: no links are shared, every message of a round has the same latency
/// and every NIC one speed. Throws as `links_are_shared`.
bool has_closed_form(const Scenario& scenario);

/// Throws InputError saying why when not `has_closed_form`.
void check_closed_form(const Scenario& scenario);

/// The question without contention, as a formula would have it: one switch of equal NICs, rings in
/// rank order, no second job, nothing that happens meanwhile. What a contended answer is compared
/// with.
Scenario nominal(const Scenario& scenario);

}  // namespace gradwire
