#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "simulator/engine/timeline_builder.hpp"
#include "simulator/plan/plan.hpp"

namespace gradwire {

/// Who may start what, and when it started and ended: the part of an event-driven engine that knows
/// no network. A player is one rank, or one class of ranks that behave alike. The engine derives
/// from it, starts what it is told to start and reports what is done.
class PlanPlayer {
 public:
  PlanPlayer(const Plan& plan, std::vector<double> compute_factors);
  virtual ~PlanPlayer() = default;
  PlanPlayer(const PlanPlayer&) = delete;
  PlanPlayer& operator=(const PlanPlayer&) = delete;

  /// Starts whatever depends on nothing. Called once, before the simulation runs.
  void begin();

  /// Throws IncompleteError naming the first op that did not end and how many did not: a simulation
  /// that has nothing left to do returns all the same.
  void require_finished() const;

  /// Whether every op has ended for every player.
  bool finished() const;

  const OpTimes& times(std::size_t player, std::size_t op) const {
    return states_[player].times[op];
  }

 protected:
  /// Starts `seconds` of undisturbed work on a stream other than kCommunication; answer with
  /// `work_ended`.
  virtual void start_work(std::size_t player, Stream stream, double seconds) = 0;
  /// Device work of `player` is disturbed by communication from now on, or no longer.
  virtual void set_disturbed(std::size_t player, bool disturbed) = 0;
  /// `player` has reached communication op `op`; answer with `communication_ended` for it.
  virtual void enter_communication(std::size_t player, std::size_t op) = 0;
  virtual double now() const = 0;

  void work_ended(std::size_t player, Stream stream);
  /// `latency`: what of the collective is latency, `stalled`: how long a link that it needed was
  /// down, in seconds.
  void communication_ended(std::size_t player, double latency, double stalled = 0.0);

  const Plan& plan() const { return plan_; }
  std::size_t players() const { return states_.size(); }

 private:
  struct StreamState {
    std::vector<std::size_t> ops;  // of this stream, in order
    std::size_t next = 0;          // position of the op that runs, or will run next
    bool running = false;
  };
  struct State {
    double compute_factor = 1.0;
    std::array<StreamState, kStreams> streams;
    std::vector<OpTimes> times;
    std::vector<bool> done;
  };

  bool may_start(const State& state, const StreamState& stream) const;
  void advance(std::size_t player);
  void drain();
  void end_op(std::size_t player, StreamState& stream);

  const Plan& plan_;
  std::vector<State> states_;
  std::deque<std::size_t> to_advance_;
  bool draining_ = false;
};

}  // namespace gradwire
