#pragma once

#include "traces/model/trace.hpp"

namespace gradwire::test {

/// A small valid trace that uses every field of the model: two iterations, kernels of every
/// category with and without launch, a communication, gradients with and without shape, facts and
/// provenance.
Trace sample_trace();

}  // namespace gradwire::test
