#pragma once

#include <cstdint>

#include "traces/model/trace.hpp"

namespace gradwire {

/// `trace` with its iterations `first` to `last` (indices into Trace::iterations, both kept) and
/// what belongs to them; records of no iteration go too. Times count from the earliest one kept,
/// and names that nothing uses any more are gone. No iteration is marked as representative: which
/// one is depends on what was kept. Throws InputError when the indices are not those of the trace
/// or `last` is before `first`.
Trace keep_iterations(Trace trace, std::int32_t first, std::int32_t last);

}  // namespace gradwire
