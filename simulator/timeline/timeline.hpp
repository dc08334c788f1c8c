#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// Encode and decode run on the device's compute stream like the backward pass.
enum class Activity { kCompute, kCommunication, kEncode, kDecode };

/// The stream of an activity: kCompute for whatever the device computes, else kCommunication.
constexpr Activity track_of(Activity activity) {
  return activity == Activity::kCommunication ? activity : Activity::kCompute;
}

/// One op on one rank.
struct Interval {
  int rank = 0;
  int op = 0;  ///< index into Plan::ops; for measured timelines the position in launch order
  Activity activity = Activity::kCompute;
  std::string label;
  Seconds start{0};  ///< from the start of the backward pass
  Seconds end{0};
  Seconds work{0};     ///< of compute: undisturbed, so end - start - work is what overlapping cost
  Seconds waiting{0};  ///< of communication: from this rank's arrival until the last rank's
  Seconds latency{0};  ///< of communication: the share of latency, waiting not counted
};

/// What happened, measured or simulated, on the ranks that were asked for and on the one that ended
/// last.
struct Timeline {
  int workers = 1;
  int last_rank = 0;                ///< ends last; the smallest such rank
  Seconds end{0};                   ///< when it ends
  std::vector<Interval> intervals;  ///< by rank, start, op
};

/// Which ranks a played timeline shall hold beside the one that ends last.
struct TimelineRequest {
  std::vector<int> ranks = {0};
};

/// Sorts by (rank, start, op).
void sort_intervals(std::vector<Interval>& intervals);

}  // namespace gradwire
