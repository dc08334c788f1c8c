#pragma once

#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// The trivial model that a simulator has to beat: ready times, buckets in order, and a ring of
/// 2(n-1)/n of a buffer's bytes (all-gather: n-1) at `efficiency` of the links' rate. A scheme that
/// is no cast encodes, sends and decodes all gradients after the backward pass or, overlapped, each
/// bucket. No latency, no compute beside communication.
Seconds baseline_time(const Scenario& scenario, BitsPerSecond link, double efficiency);

/// One case as the baseline sees it.
struct BaselineCase {
  Scenario scenario;
  BitsPerSecond link;
  Seconds measured{0};
  Seconds outside{0};  ///< of the measured time, outside the backward pass; known to the baseline
};

/// The efficiency, in steps of 0.001 from 0.3 to 1, whose median error over `cases` is smallest;
/// the smallest sum of errors decides among equals, then the lower efficiency. Fitted, unlike all
/// else here. 1 without cases.
double fit_baseline(const std::vector<BaselineCase>& cases);

}  // namespace gradwire
