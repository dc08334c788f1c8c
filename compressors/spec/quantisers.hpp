#pragma once

#include <memory>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// QSGD. bits: of an element's code, sign included, 2 to 16; as many whole codes to a 32-bit word
/// as go in. bucket: elements that share one float32 norm. All tensors as one vector.
std::unique_ptr<Scheme> make_qsgd(SchemeParameters& parameters);

}  // namespace gradwire
