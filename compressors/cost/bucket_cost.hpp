#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "compressors/cost/cost_model.hpp"

namespace gradwire {

/// One stage of a bucket's exchange: the host launches while the device works, then it waits.
struct StageCost {
  Seconds host{0};    ///< launching
  Seconds device{0};  ///< the kernels, with the device to themselves
  Seconds wait{0};    ///< host time behind the device's work, for the results that it reads; with
                      ///< one, the host also waits until the device has reached the stage

  /// With nothing beside it.
  Seconds alone() const { return std::max(host, device) + wait; }
  StageCost operator*(double factor) const {
    return {host * factor, device * factor, wait * factor};
  }
};

/// What compressing one bucket takes; DeviceWork has what the stages are.
struct BucketCost {
  StageCost encode;
  StageCost between;
  StageCost decode;

  BucketCost operator*(double factor) const {
    return {encode * factor, between * factor, decode * factor};
  }
};

/// By bucket, and what a reader must know of how they were found, one sentence each.
struct BucketCosts {
  std::vector<BucketCost> buckets;
  std::vector<std::string> notes;
};

/// `whole`, the cost of all buckets in one exchange, spread over them. The profile's model tells
/// each bucket's host and device time; they are scaled where `whole` is a figure of the profile. A
/// scheme's fixed time is spread by elements. A profile without a model: as `spread_by_elements`.
BucketCosts bucket_costs(const CostProfile& profile, const Scheme& scheme,
                         const std::vector<std::vector<TensorShape>>& buckets, int ranks,
                         const EncodeDecodeCost& whole);

/// `encode` and `decode` of all buckets spread by elements, as device time alone.
BucketCosts spread_by_elements(const std::vector<std::vector<TensorShape>>& buckets, Seconds encode,
                               Seconds decode);

}  // namespace gradwire
