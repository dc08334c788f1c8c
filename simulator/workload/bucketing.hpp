#pragma once

#include <cstddef>
#include <vector>

#include "base/dtype.hpp"
#include "base/units.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// DDP's bucket caps. Defaults: PyTorch's kDefaultFirstBucketBytes (1 MiB) and bucket_cap_mb=25
/// (MiB), torch csrc/distributed/c10d/reducer.hpp and nn/parallel/distributed.py.
struct BucketCaps {
  Bytes first{1'048'576};
  Bytes rest{26'214'400};

  bool operator==(const BucketCaps&) const = default;
};

/// One all-reduce's worth of gradients: of one dtype and one device.
struct Bucket {
  std::vector<std::size_t> gradients;  ///< indices into Workload::gradients, in order
  Elements elements{0};
  DType dtype = DType::kFloat32;
  Seconds ready{0};  ///< when the latest of its gradients is ready

  Bytes bytes() const { return elements * element_size(dtype).value(); }
};

/// Buckets as PyTorch's DDP rebuilds them after the first iteration: gradients in ready order; a
/// bucket (one per dtype and device) closes once it reaches its cap; the first bucket of each kind
/// has the first cap. In launch order: closed buckets in the order in which they close, then the
/// unfilled ones by their first gradient. (PyTorch takes the unfilled ones in the order of a hash
/// table, which shows with several dtypes or devices only; by first member is how it sorts buckets
/// where it sorts them.) Source: compute_bucket_assignment_by_size and Reducer::rebuildBuckets,
/// torch/csrc/distributed/c10d/reducer.cpp, PyTorch 1.7 to 2.x; gradients that are sparse, or of
/// parameters without use, are not modelled.
std::vector<Bucket> make_buckets(const std::vector<ReadyGradient>& gradients,
                                 const BucketCaps& caps);

}  // namespace gradwire
