#pragma once

#include <optional>
#include <span>
#include <vector>

#include "platforms/model/cluster.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// The token buckets of a shaped cluster's NICs while a plan is played, as fluid: a NIC sends as
/// fast as its links let it while it has tokens, later at Shaper::rate, and what it sends less than
/// that fills its bucket up to the burst. All are full at time 0. Holds where no two messages share
/// a NIC. Calls for one NIC come in order of time. Times in seconds.
class TokenBuckets {
 public:
  /// Requires a shaper. `cluster` must outlive this.
  explicit TokenBuckets(const Cluster& cluster);

  /// When the last byte has left of a message whose first may leave at `start`.
  double send(const Edge& edge, double start, double bytes);

  /// When a phase ends that all ranks enter at `start`: round by round a latency, then a message on
  /// every edge; no rank is ahead of another. `latencies`: one a round. Throws InputError for a
  /// phase whose edges take turns.
  double play_phase(const Phase& phase, Bytes element_size, std::span<const Seconds> latencies,
                    double start);

 private:
  struct Bucket {
    double tokens = 0.0;  // bytes
    double since = 0.0;   // when that was so
  };
  /// NICs of a phase that are alike.
  struct Alike {
    Bucket bucket;
    double peak = 0.0;  // bytes a second
    std::vector<std::size_t> nics;
  };

  std::size_t nic_of(int rank) const;
  bool crosses(const Edge& edge) const;
  /// When `bytes` have left; moves the bucket on to then.
  double send(Bucket& bucket, double start, double bytes, double peak) const;
  void fill(Bucket& bucket, double until) const;
  std::vector<Alike> alike_nics(const Phase& phase, double start);

  const Cluster& cluster_;
  double rate_;   // bytes a second
  double burst_;  // bytes
  std::vector<Bucket> buckets_;
};

}  // namespace gradwire
