#pragma once

#include "simulator/validation/play_set.hpp"

namespace gradwire {

/// Cells drawn from the set's seed, the same everywhere: 2 to 64 ranks, random buckets, and either
/// the backward pass plus synchronisation, or one collective, or the bytes that a rank sends. The
/// answers stand beside closed forms that are written down here again and share no code with the
/// estimators. Models are "formula", "recurrence", "simgrid". Requires set.random.
SetOutcome play_random_cells(const ValidationSet& set);

}  // namespace gradwire
