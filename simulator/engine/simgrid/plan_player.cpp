#include "simulator/engine/simgrid/plan_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr auto kCommunicationIndex = static_cast<std::size_t>(Stream::kCommunication);

}  // namespace

PlanPlayer::PlanPlayer(const Plan& plan, std::vector<double> compute_factors)
    : plan_(plan), states_(compute_factors.size()) {
  constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t player = 0; player < states_.size(); ++player) {
    State& state = states_[player];
    state.compute_factor = compute_factors[player];
    state.times.assign(plan.ops.size(), OpTimes{kNever, kNever});
    state.done.assign(plan.ops.size(), false);
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      state.streams[static_cast<std::size_t>(plan.ops[op].stream)].ops.push_back(op);
    }
  }
}

void PlanPlayer::begin() {
  for (std::size_t player = 0; player < states_.size(); ++player) to_advance_.push_back(player);
  drain();
}

void PlanPlayer::require_finished() const {
  std::string first;
  std::size_t missing = 0;
  for (std::size_t player = 0; player < states_.size(); ++player) {
    for (std::size_t op = 0; op < plan_.ops.size(); ++op) {
      if (states_[player].done[op]) continue;
      if (missing++ == 0) {
        first = fmt::format("{} did not end on player {}", plan_.ops[op].label, player);
      }
    }
  }
  if (missing == 0) return;
  throw IncompleteError(
      fmt::format("the simulation ended early: {} ({} ops in all did not end)", first, missing));
}

bool PlanPlayer::finished() const {
  return std::all_of(states_.begin(), states_.end(), [](const State& state) {
    return std::all_of(state.done.begin(), state.done.end(), [](bool done) { return done; });
  });
}

bool PlanPlayer::may_start(const State& state, const StreamState& stream) const {
  if (stream.running || stream.next == stream.ops.size()) return false;
  const std::vector<int>& after = plan_.ops[stream.ops[stream.next]].after;
  return std::all_of(after.begin(), after.end(),
                     [&](int op) { return state.done[static_cast<std::size_t>(op)]; });
}

void PlanPlayer::advance(std::size_t player) {
  State& state = states_[player];
  StreamState& communication = state.streams[kCommunicationIndex];
  if (may_start(state, communication)) {
    const std::size_t op = communication.ops[communication.next];
    communication.running = true;
    state.times[op].start = now();
    set_disturbed(player, true);
    enter_communication(player, op);
  }
  for (const Stream stream : {Stream::kHost, Stream::kCompute, Stream::kSide, Stream::kFree}) {
    StreamState& work = state.streams[static_cast<std::size_t>(stream)];
    if (!may_start(state, work)) continue;
    const std::size_t op = work.ops[work.next];
    work.running = true;
    const double factor = stream == Stream::kHost ? 1.0 : state.compute_factor;
    state.times[op].start = now();
    state.times[op].work = plan_.ops[op].work.count() * factor;
    start_work(player, stream, state.times[op].work);
  }
}

/// A queue instead of recursion: an op of zero length may end inside the call that starts it.
void PlanPlayer::drain() {
  if (draining_) return;
  draining_ = true;
  while (!to_advance_.empty()) {
    const std::size_t player = to_advance_.front();
    to_advance_.pop_front();
    advance(player);
  }
  draining_ = false;
}

void PlanPlayer::end_op(std::size_t player, StreamState& stream) {
  State& state = states_[player];
  const std::size_t op = stream.ops[stream.next];
  state.times[op].end = now();
  state.done[op] = true;
  stream.running = false;
  ++stream.next;
  to_advance_.push_back(player);
}

void PlanPlayer::work_ended(std::size_t player, Stream stream) {
  end_op(player, states_[player].streams[static_cast<std::size_t>(stream)]);
  drain();
}

void PlanPlayer::communication_ended(std::size_t player, double latency, double stalled) {
  State& state = states_[player];
  StreamState& communication = state.streams[kCommunicationIndex];
  OpTimes& times = state.times[communication.ops[communication.next]];
  times.latency = latency;
  times.stalled = stalled;
  end_op(player, communication);
  set_disturbed(player, false);
  drain();
}

}  // namespace gradwire
