#include "simulator/scenario/compression_cost.hpp"

#include <utility>

#include "base/errors.hpp"
#include "compressors/cost/cost_model.hpp"

namespace gradwire {
namespace {

bool has_overlapped_scheme(const Compression& compression) {
  return compression.mode == CompressionMode::kOverlapped;
}

void take_profile(const Scenario& scenario, const CostSource& source, CompressionCost& cost) {
  const Compression& compression = scenario.compression;
  const Scheme& scheme = source.priced_as ? *source.priced_as : *compression.scheme;
  const EncodeDecodeCost whole = encode_decode_cost(
      *source.profile, scheme, tensor_shapes(scenario.workload), scenario.workers, source.choice);
  cost.encode = whole.encode;
  cost.decode = whole.decode;
  cost.standing = whole.standing;
  cost.source = whole.source;
  cost.notes = whole.notes;
  if (!has_overlapped_scheme(compression)) return;
  BucketCosts costs =
      bucket_costs(*source.profile, scheme, bucket_shapes(scenario.workload, scenario.caps),
                   scenario.workers, whole);
  cost.buckets = std::move(costs.buckets);
  cost.notes.insert(cost.notes.end(), costs.notes.begin(), costs.notes.end());
}

void take_given(const Scenario& scenario, const CostSource& source, CompressionCost& cost) {
  cost.encode = source.given_encode;
  cost.decode = source.given_decode;
  cost.standing = "given";
  if (!has_overlapped_scheme(scenario.compression)) return;
  BucketCosts costs =
      spread_by_elements(bucket_shapes(scenario.workload, scenario.caps), cost.encode, cost.decode);
  cost.buckets = std::move(costs.buckets);
  cost.notes = std::move(costs.notes);
}

}  // namespace

CompressionCost compression_cost(const Scenario& scenario) {
  const Compression& compression = scenario.compression;
  GW_CHECK(compression.scheme && !compression.scheme->cast_size() && compression.source,
           "costs need a compressor and a source");
  const CostSource& source = *compression.source;
  CompressionCost cost;
  source.profile ? take_profile(scenario, source, cost) : take_given(scenario, source, cost);
  cost.encode *= source.encode_factor;
  cost.decode *= source.decode_factor;
  for (BucketCost& bucket : cost.buckets) {
    bucket.encode = bucket.encode * source.encode_factor;
    bucket.between = bucket.between * source.encode_factor;
    bucket.decode = bucket.decode * source.decode_factor;
  }
  return cost;
}

Scenario with_costs_of_source(Scenario scenario) {
  Compression& compression = scenario.compression;
  if (!compression.scheme || compression.scheme->cast_size() || !compression.source) {
    return scenario;
  }
  CompressionCost cost = compression_cost(scenario);
  compression.encode = cost.encode;
  compression.decode = cost.decode;
  compression.buckets = std::move(cost.buckets);
  return scenario;
}

}  // namespace gradwire
