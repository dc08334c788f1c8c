#pragma once

#include <string_view>

#include "base/collective_kind.hpp"

namespace gradwire {

/// The registry's algorithm that is nearest to what Gloo runs, whatever the size: rings for
/// all-reduce (its default; gloo/allreduce.cc of facebookincubator/gloo, recalled) and all-gather
/// (gloo/allgather.cc at 5898507, two halves of a contribution in flight), a binomial tree for
/// broadcast (gloo/broadcast.cc at 5898507; it starts with the nearest rank), all messages at once
/// for all-to-all (gloo/alltoall.cc at 3d08580). That Gloo cuts its rings in segments and
/// runs two collectives at a time is simulator/gloo's business. Throws InputError for the others.
std::string_view gloo_choice(CollectiveKind kind);

}  // namespace gradwire
