#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// A gradient becomes ready on a rank.
struct GradientMark {
  int rank = 0;
  Seconds time{0};
  std::string parameter;  ///< empty when the trace does not tell
  Bytes bytes{0};
};

/// A DDP bucket on a rank, from its first gradient to its last.
struct BucketFill {
  int rank = 0;
  std::size_t bucket = 0;  ///< in launch order
  Seconds start{0};
  Seconds end{0};
  Bytes bytes{0};
  std::size_t gradients = 0;
  std::string last;  ///< parameter of the gradient that fills it; empty when unknown
};

/// A place that a flow goes through.
struct FlowStop {
  enum class Place { kInterval, kBucket };

  Place place = Place::kInterval;
  std::size_t index = 0;  ///< into Timeline::intervals or GradientFlows::buckets
  Seconds time{0};        ///< inside it, ends included; ascending along a flow
};

/// Where gradients go on one rank: what makes the last of them, their bucket, encode, collectives,
/// decode.
using Flow = std::vector<FlowStop>;

/// What becomes of the gradients on the ranks of a timeline.
struct GradientFlows {
  std::vector<GradientMark> gradients;  ///< by rank, time
  std::vector<BucketFill> buckets;      ///< by rank, launch order; none where DDP has no buckets
  std::vector<Flow> flows;              ///< by rank, bucket; one a rank where DDP has no buckets
};

/// Of `timeline`, in which `plan`, made of `scenario`, was played. Gradients lie inside the compute
/// op in which the workload makes them, as far along as there; where communication slows a part of
/// that op down, the time between its ends is in proportion. Of many encode ops in a row a flow
/// goes through the last, of many decode ops through the first.
GradientFlows gradient_flows(const Scenario& scenario, const Plan& plan, const Timeline& timeline);

}  // namespace gradwire
