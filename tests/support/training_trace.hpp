#pragma once

#include <cstdint>

#include "traces/model/trace.hpp"

namespace gradwire::test {

/// Appends one complete iteration as a plain single-GPU job records it, starting at `start` (ns)
/// and 10 us long: one forward kernel, then a backward pass from `start` + 3000 on whose last
/// kernel ends `span` (at least 3000) later.
///
/// Times below count from the start of the backward pass, in ns. Kernels: 0 to 1000, 1200 to 2000,
/// 1800 to 2500 on another stream, 2700 to `span`. Gradients in float32: fc.weight (10 x 4) at
/// 1000, conv.weight (8 x 3 x 3 x 3) at 2500, conv.bias (8) at `span`.
void add_iteration(Trace& trace, std::int64_t start, std::int64_t span);

/// Three iterations in a row from 0 on with spans of 4000, 4200 and 4100 ns on a "Tesla V100"; the
/// middle span, the third iteration's, is the representative one's though no mark says so.
Trace training_trace();

}  // namespace gradwire::test
