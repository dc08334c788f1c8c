#pragma once

#include <memory>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// Schemes that send some of the elements: fraction x all elements of the exchange, rounded down,
/// at least one. index_bytes is 4 or 8.
std::unique_ptr<Scheme> make_mstopk(SchemeParameters& parameters);
std::unique_ptr<Scheme> make_topk(SchemeParameters& parameters);

/// shared_seed=true: all ranks draw the same elements, so that their values can be all-reduced and
/// no index is sent.
std::unique_ptr<Scheme> make_randomk(SchemeParameters& parameters);

}  // namespace gradwire
