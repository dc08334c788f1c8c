#pragma once

#include <string>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What a scenario's compressor costs by its cost source, and how that is known.
struct CompressionCost {
  Seconds encode{0};  ///< all gradients in one exchange
  Seconds decode{0};
  std::vector<BucketCost> buckets;  ///< of overlapped compression
  std::string standing;             ///< as EncodeDecodeCost has it; "given" without a profile
  std::string source;               ///< of the figure; empty for given times
  std::vector<std::string> notes;   ///< what a reader must know, one sentence each
};

/// The cost of `scenario`'s compressor for its workload, workers, mode and buckets, with the
/// factors of its source. Requires a scheme that is no cast, and a cost source. Throws as
/// `tensor_shapes`.
CompressionCost compression_cost(const Scenario& scenario);

/// `scenario` with the times that `compression_cost` finds; as it was without a cost source, or
/// where nothing is compressed.
Scenario with_costs_of_source(Scenario scenario);

}  // namespace gradwire
