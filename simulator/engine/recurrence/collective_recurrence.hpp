#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "platforms/model/cluster.hpp"
#include "simulator/collectives/latency_jitter.hpp"
#include "simulator/collectives/schedule.hpp"
#include "simulator/engine/recurrence/ring_paths.hpp"
#include "simulator/engine/token_buckets.hpp"

namespace gradwire {

/// Plays collectives of one plan round by round: a rank enters round k+1 once its messages of round
/// k are sent and received, and takes in what is sent to it in the order of rounds, whoever sends
/// it. Exact where no two messages of a round share a link. Holds scratch space, and the tokens of
/// a shaped cluster's NICs from collective to collective; one object a thread and plan.
class CollectiveRecurrence {
 public:
  CollectiveRecurrence(const Cluster& cluster, LatencyMode mode, int workers,
                       std::optional<LatencyJitter> jitter = std::nullopt);

  /// `times` holds when each rank starts (seconds) and receives when each ends. `op` decides what
  /// jitter draws. Returns the part of the collective's duration that is latency.
  Seconds play(const Schedule& schedule, std::vector<double>& times, std::size_t op = 0);

  /// Whether ranks that start a ring together end it together, but for what one element costs a
  /// round. Not where the edges differ, nor in LatencyMode::kOverlapped.
  bool ranks_stay_equal() const { return ring_is_uniform_ && mode_ != LatencyMode::kOverlapped; }

  /// The end for all ranks when all start at `start`: the closed recurrence, one multiplication a
  /// phase. Where `ranks_stay_equal` the last rank's end of `play`; else an upper bound that is
  /// loose by an element a round (blocking, mean) or an approximation (overlapped).
  Seconds play_equal_ranks(const Schedule& schedule, Seconds start, Seconds& latency,
                           std::size_t op = 0);

 private:
  void play_ring(const RingRounds& ring, Bytes element_size, const RoundLatencies& latencies,
                 std::vector<double>& times);
  void play_messages(const Schedule& schedule, const RoundLatencies& latencies,
                     std::vector<double>& times);
  void play_overlapped(const Schedule& schedule, std::vector<double>& times);
  double sent(const Message& message, double start, Bytes bytes, BitsPerSecond bandwidth);

  const Cluster& cluster_;
  LatencyMode mode_;
  std::optional<LatencyJitter> jitter_;
  std::optional<TokenBuckets> buckets_;        // of a shaped cluster
  std::vector<double> ring_seconds_per_byte_;  // of the edge i -> i+1
  bool ring_is_uniform_ = true;
  RingPaths paths_;
  std::vector<double> costs_;
  std::vector<double> next_;
  std::vector<double> arrivals_;
  std::vector<double> received_;  // by rank: when its link was last free to receive
  std::vector<Message> messages_;
};

}  // namespace gradwire
