#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "simulator/engine/recurrence/collective_recurrence.hpp"
#include "simulator/engine/running_work.hpp"
#include "simulator/engine/timeline_builder.hpp"
#include "simulator/plan/plan.hpp"

namespace gradwire {

/// Plays a plan whose ranks are all alike: the streams of one of them, event by event, and
/// collectives by their closed recurrence. Constant time and no allocation an event.
class EqualRanks {
 public:
  /// The arguments must outlive this.
  EqualRanks(const Plan& plan, CollectiveRecurrence& collectives);

  /// To the end of every op (GW_CHECK).
  void play();

  const OpTimes& times(std::size_t op) const { return times_[op]; }
  /// When the last op has ended, in seconds.
  double end() const { return now_; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool may_start(std::size_t op) const;
  void start(std::size_t op);
  void end(Stream stream);
  void start_what_may_start();
  /// The running stream that ends first; false when none runs.
  bool find_first_end(Stream& stream, double& time) const;

  const Plan& plan_;
  CollectiveRecurrence& collectives_;
  RunningWork works_;
  bool communicating_ = false;
  double communication_end_ = 0.0;
  double now_ = 0.0;
  std::array<std::size_t, kStreams> next_;  // of each stream: the op that runs or runs next
  std::vector<std::size_t> behind_;         // of each op: the next one on its stream
  std::vector<OpTimes> times_;
  std::vector<char> done_;
};

}  // namespace gradwire
