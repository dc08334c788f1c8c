#include "simulator/collectives/gloo_selection.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace gradwire {

std::string_view gloo_choice(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kAllGather:
      return "ring";
    case CollectiveKind::kBroadcast:
      return "binomial";
    case CollectiveKind::kAllToAll:
      return "direct";
    default:
      throw InputError(
          fmt::format("algorithm gloo: Gloo's {} is not modelled; accepted: all_reduce, "
                      "all_gather, broadcast, all_to_all",
                      name_of(kind)));
  }
}

}  // namespace gradwire
