#pragma once

#include <memory>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// Schemes that send every element in another (or the same) type, all-reduced.
std::unique_ptr<Scheme> make_none(SchemeParameters& parameters);
std::unique_ptr<Scheme> make_fp16(SchemeParameters& parameters);
std::unique_ptr<Scheme> make_bf16(SchemeParameters& parameters);

}  // namespace gradwire
