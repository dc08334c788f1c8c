#pragma once

#include <memory>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// All tensors as one vector of signs, 32 to a word; every rank gathers the words of all.
std::unique_ptr<Scheme> make_signsgd(SchemeParameters& parameters);

/// As signSGD, and behind the signs one float32 a rank that they are multiplied by; error feedback.
std::unique_ptr<Scheme> make_ef_signsgd(SchemeParameters& parameters);

}  // namespace gradwire
