#pragma once

#include <optional>
#include <vector>

#include "base/units.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// A cost on the straight line between measured figures.
struct InterpolatedCost {
  Seconds encode{0};
  Seconds decode{0};
  std::vector<const CostEntry*> between;  ///< the profile's entries that it was made of: 1 to 4
};

/// What `profile` has measured on both sides of an exchange of `tensors` among `ranks`, with the
/// parameters of `scheme`: entries of these very tensors, linear in the ranks; else, where the cost
/// of `scheme` does not depend on shapes, entries of one tensor, linear in the elements and in the
/// ranks. Absent where a side is missing: nothing is extrapolated.
std::optional<InterpolatedCost> interpolate_cost(const CostProfile& profile, const Scheme& scheme,
                                                 const std::vector<TensorShape>& tensors,
                                                 int ranks);

}  // namespace gradwire
