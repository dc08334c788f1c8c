#pragma once

#include <optional>
#include <vector>

#include "simulator/collectives/link_load.hpp"
#include "simulator/questions/slopes.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/timeline/critical_path.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// A segment of the critical path and, of a collective, the link that bounds its bytes.
struct PathStep {
  PathSegment segment;
  std::optional<BoundingLink> link;
};

/// What one iteration sends over all links of one kind, hidden or not. A second job's bytes are not
/// counted.
struct LinkTraffic {
  LinkKind kind = LinkKind::kNic;
  int links = 0;     ///< directed ones that carry anything
  Bytes bytes{0};    ///< over all of them
  LinkLoad busiest;  ///< for its speed; the first where several are
};

/// An input that can be improved by itself.
enum class Improvement { kBandwidth, kLatency, kEncodeDecode, kCompute };

/// What a percent of an input is worth: of bandwidth more, of the others less.
struct Gain {
  Improvement input = Improvement::kBandwidth;
  double step = 0.0;  ///< the percent: Gbps of bandwidth, seconds of the times
  Seconds saved{0};   ///< by the slope on that side
};

/// Why an iteration takes as long as it does.
struct Explanation {
  IterationResult result;
  std::vector<PathStep> path;  ///< from time 0 to the end
  Breakdown on_path;           ///< what it consists of
  std::vector<LinkTraffic>
      links;  ///< NICs, trunks, links inside nodes; those without bytes left out
  Slopes slopes;
  std::vector<Gain> gains;  ///< the largest first
  /// What a compressor exchanges at once, one collective after the other; empty without one and for
  /// a cast.
  std::vector<Transfer> exchange;
  /// The same training without its compressor, by the same estimator.
  std::optional<IterationResult> uncompressed;
};

/// Plays `scenario` on every rank. Throws InputError for an estimator without a timeline, and as
/// `estimate`.
Explanation explain(const Scenario& scenario, Estimator estimator);

}  // namespace gradwire
