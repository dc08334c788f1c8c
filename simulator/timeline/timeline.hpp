#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// Encode and decode are device work like the backward pass; kHost is the host thread at work.
enum class Activity { kCompute, kCommunication, kEncode, kDecode, kHost };

/// "compute", "communication", "encode", "decode", "host".
std::string_view name_of(Activity activity);

/// What a rank does side by side. Simulated intervals of one track follow each other.
enum class Track { kCompute, kCommunication, kHost, kSide, kEncodeDecode };

/// One op on one rank.
struct Interval {
  int rank = 0;
  int op = 0;  ///< index into Plan::ops; for measured timelines the position in launch order
  Activity activity = Activity::kCompute;
  std::string label;
  Seconds start{0};  ///< from the start of the backward pass
  Seconds end{0};
  Seconds work{0};     ///< of device and host: undisturbed; end - start - work is what sharing cost
  Seconds waiting{0};  ///< of communication: from this rank's arrival until the last rank's
  Seconds latency{0};  ///< of communication: the share of latency, waiting not counted
  Seconds stalled{0};  ///< of communication: while a link that it needed was down
  bool side_stream = false;  ///< of device work: beside the compute stream, not on it
  /// Of communication: the buffer of one rank, as CollectiveCall has it (of an all-gather what one
  /// rank contributes); 0 where a measured one does not tell.
  Bytes payload{0};
  Bytes sent{0};  ///< of communication: wire bytes that this rank sends; 0 for measured timelines
};

/// The track of an interval. Device work is on kSide or, of the compute stream, on kCompute or
/// kEncodeDecode, one of them at a time.
constexpr Track track_of(const Interval& interval) {
  if (interval.activity == Activity::kCommunication) return Track::kCommunication;
  if (interval.activity == Activity::kHost) return Track::kHost;
  if (interval.side_stream) return Track::kSide;
  return interval.activity == Activity::kCompute ? Track::kCompute : Track::kEncodeDecode;
}

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
