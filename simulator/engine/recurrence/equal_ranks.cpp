#include "simulator/engine/recurrence/equal_ranks.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr std::array<Stream, kStreams> kAll = {Stream::kCommunication, Stream::kHost,
                                               Stream::kCompute, Stream::kSide, Stream::kFree};

}  // namespace

EqualRanks::EqualRanks(const Plan& plan, CollectiveRecurrence& collectives)
    : plan_(plan),
      collectives_(collectives),
      works_(plan),
      behind_(plan.ops.size()),
      times_(plan.ops.size()),
      done_(plan.ops.size(), 0) {
  next_.fill(kNone);
  for (std::size_t op = plan.ops.size(); op-- > 0;) {
    std::size_t& first = next_[static_cast<std::size_t>(plan.ops[op].stream)];
    behind_[op] = first;
    first = op;
  }
}

void EqualRanks::play() {
  start_what_may_start();
  Stream stream = Stream::kCompute;
  double time = 0.0;
  while (find_first_end(stream, time)) {
    now_ = time;
    end(stream);
    start_what_may_start();
  }
  GW_CHECK(std::find(done_.begin(), done_.end(), 0) == done_.end(), "an op waits for ever");
}

bool EqualRanks::may_start(std::size_t op) const {
  const std::vector<int>& after = plan_.ops[op].after;
  return std::all_of(after.begin(), after.end(),
                     [this](int before) { return done_[static_cast<std::size_t>(before)] != 0; });
}

void EqualRanks::start_what_may_start() {
  for (const Stream stream : kAll) {
    const bool running =
        stream == Stream::kCommunication ? communicating_ : works_.is_running(stream);
    const std::size_t op = next_[static_cast<std::size_t>(stream)];
    if (!running && op != kNone && may_start(op)) start(op);
  }
  works_.set_disturbed(communicating_, now_);
}

void EqualRanks::start(std::size_t op) {
  OpTimes& times = times_[op];
  times.start = now_;
  if (plan_.ops[op].collective) {
    Seconds latency{0};
    communicating_ = true;
    communication_end_ =
        collectives_.play_equal_ranks(*plan_.ops[op].collective, Seconds{now_}, latency, op)
            .count();
    times.latency = latency.count();
  } else {
    times.work = plan_.ops[op].work.count();
    works_.start(plan_.ops[op].stream, now_, times.work);
  }
}

void EqualRanks::end(Stream stream) {
  std::size_t& next = next_[static_cast<std::size_t>(stream)];
  times_[next].end = now_;
  done_[next] = 1;
  next = behind_[next];
  if (stream == Stream::kCommunication) {
    communicating_ = false;  // the device learns of it once the next collective had its chance
  } else {
    works_.end(stream, now_);
  }
}

bool EqualRanks::find_first_end(Stream& stream, double& time) const {
  bool found = false;
  const auto offer = [&](Stream candidate, double end) {
    if (found && end >= time) return;
    found = true;
    stream = candidate;
    time = end;
  };
  if (communicating_) offer(Stream::kCommunication, communication_end_);
  for (const Stream candidate : {Stream::kHost, Stream::kCompute, Stream::kSide, Stream::kFree}) {
    if (works_.is_running(candidate)) offer(candidate, works_.end_of(candidate));
  }
  return found;
}

}  // namespace gradwire
