#pragma once

#include <memory>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// rank: of the factors, at most a matrix's smaller extent. min_compression_rate: a matrix whose
/// factors, times this, are not smaller than itself is sent with the 1-D tensors (PyTorch's
/// powerSGD_hook has 2; 0 compresses every matrix, as the study's code does).
///
/// Issued: 1-D tensors (packed, uncompressed), P of all matrices, Q of all matrices.
std::unique_ptr<Scheme> make_powersgd(SchemeParameters& parameters);

}  // namespace gradwire
