#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compressors/cost/bucket_cost.hpp"
#include "compressors/spec/scheme.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What a bucket may be compressed with.
struct BucketCandidate {
  std::shared_ptr<const Scheme> scheme;  ///< null for DDP's own all-reduce
  std::vector<BucketCost> costs;         ///< by DDP bucket
};

/// How far a search goes.
struct BucketSearch {
  std::int64_t exact_up_to = 50'000;  ///< combinations, above which one bucket is changed at a time
  bool prune = true;  ///< leave out what is better in nothing (`find_bucket_choice`)
};

/// The best combination found, and how it was found.
struct BucketChoice {
  std::vector<std::size_t> candidates;  ///< index of each bucket's candidate, in launch order
  Compression compression;              ///< the scenario's, with them
  Seconds time{0};                      ///< backward plus synchronisation, by the recurrence
  std::size_t uniform = 0;              ///< the best candidate for all buckets alike
  Seconds uniform_time{0};              ///< never less than `time`
  bool exact = false;                   ///< every combination of what pruning left was played
  std::int64_t combinations = 0;  ///< of what pruning left; the largest number when they are more
  std::int64_t played = 0;
};

/// Which of `candidates` each DDP bucket of `scenario` is best compressed with, overlapped with the
/// backward pass. All combinations where they are few; else, from each uniform choice on, one
/// bucket at a time until no single change is faster, and the best of what that finds. For a
/// bucket, a candidate is left out when another one asks for no more in every stage of its cost, in
/// rounds and in bytes (the first of equal ones stays): that never changed the best time in the
/// tests, and is not proven where kernels share a device. A bucket keeps the uniform candidate
/// where its own would gain less than a nanosecond. The scenario's own compression does not matter
/// but for its payload factor. Requires workers above 1, a candidate, and costs for every bucket.
/// Throws InputError where links are shared (`check_unshared`) or gradients have no shapes.
BucketChoice find_bucket_choice(const Scenario& scenario,
                                const std::vector<BucketCandidate>& candidates,
                                const BucketSearch& search = {});

}  // namespace gradwire
